// SPDX-License-Identifier: Apache-2.0
//
// Symbols: u the point, s = upper - u its room, z and v the multipliers of u >= 0 and s >= 0, y
// those of the equations. The equations of a step are reduced to (Q + D) du - A'dy = r.
#include "long_double_qp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace maxmargin::reference {

namespace {

constexpr Number infinity = std::numeric_limits<Number>::infinity();
constexpr Number epsilon = std::numeric_limits<Number>::epsilon();
constexpr int most_steps = 200;
/// Of a sum, in units of the last place of its terms.
constexpr Number roundings = 4;

Number dot(const Vector& x, const Vector& y) {
  Number sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

Vector times(const Matrix& m, const Vector& x) {
  Vector result(m.rows(), 0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) result[i] += m(i, j) * x[j];
  }
  return result;
}

Vector transposed_times(const Matrix& m, const Vector& y, std::size_t cols) {
  Vector result(cols, 0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < cols; ++j) result[j] += m(i, j) * y[i];
  }
  return result;
}

/// L with M = L L'; pivots that rounding has eaten become infinite, so that their unknown stays 0.
class Factor {
 public:
  explicit Factor(Matrix m) : l_(std::move(m)) {
    const std::size_t n = l_.cols();
    for (std::size_t j = 0; j < n; ++j) {
      const Number before = l_(j, j);
      for (std::size_t k = 0; k < j; ++k) l_(j, j) -= l_(j, k) * l_(j, k);
      const bool lost = !(l_(j, j) > 4 * epsilon * std::abs(before));
      l_(j, j) = lost ? infinity : std::sqrt(l_(j, j));
      for (std::size_t i = j + 1; i < n; ++i) {
        for (std::size_t k = 0; k < j; ++k) l_(i, j) -= l_(i, k) * l_(j, k);
        l_(i, j) /= l_(j, j);
      }
    }
  }
  [[nodiscard]] Vector solve(Vector x) const {
    const std::size_t n = l_.cols();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= l_(i, k) * x[k];
      x[i] /= l_(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= l_(k, i) * x[k];
      x[i] /= l_(i, i);
    }
    return x;
  }

 private:
  Matrix l_;
};

/// The saddle system [H, -A'; A, 0] with H = Q + D, refined against its own residual.
class Saddle {
 public:
  Saddle(const QuadraticProgram& program, const Vector& d)
      : program_(program), h_(program.q), factor_(shifted(d)) {
    for (std::size_t i = 0; i < d.size(); ++i) h_(i, i) += d[i];
    const std::size_t m = program.b.size();
    Matrix schur(m, m);
    for (std::size_t k = 0; k < m; ++k) {
      Vector row(d.size());
      for (std::size_t j = 0; j < d.size(); ++j) row[j] = program.a(k, j);
      columns_.push_back(factor_.solve(row));
      for (std::size_t i = 0; i <= k; ++i) {
        for (std::size_t j = 0; j < d.size(); ++j) {
          schur(k, i) += program.a(i, j) * columns_[k][j];
        }
        schur(i, k) = schur(k, i);
      }
    }
    if (m > 0) schur_.emplace(std::move(schur));
  }

  void solve(const Vector& r, const Vector& p, Vector& du, Vector& dy) const {
    du.assign(r.size(), 0);
    dy.assign(p.size(), 0);
    for (int round = 0; round < 3; ++round) {
      Vector r_left = times(h_, du);
      const Vector back = transposed_times(program_.a, dy, r.size());
      for (std::size_t i = 0; i < r.size(); ++i) r_left[i] = r[i] - r_left[i] + back[i];
      Vector p_left = p;
      if (!p.empty()) {
        const Vector reached = times(program_.a, du);
        for (std::size_t k = 0; k < p.size(); ++k) p_left[k] -= reached[k];
      }
      add_step(r_left, p_left, du, dy);
    }
  }

 private:
  [[nodiscard]] Matrix shifted(const Vector& d) const {
    Matrix h = program_.q;
    for (std::size_t i = 0; i < d.size(); ++i) h(i, i) += d[i];
    return h;
  }
  void add_step(const Vector& r, const Vector& p, Vector& du, Vector& dy) const {
    Vector x = factor_.solve(r);
    if (schur_) {
      Vector right = p;
      const Vector reached = times(program_.a, x);
      for (std::size_t k = 0; k < p.size(); ++k) right[k] -= reached[k];
      const Vector y = schur_->solve(std::move(right));
      for (std::size_t k = 0; k < y.size(); ++k) {
        dy[k] += y[k];
        for (std::size_t j = 0; j < x.size(); ++j) x[j] += y[k] * columns_[k][j];
      }
    }
    for (std::size_t j = 0; j < x.size(); ++j) du[j] += x[j];
  }

  const QuadraticProgram& program_;
  Matrix h_;
  Factor factor_;
  std::vector<Vector> columns_ = {};
  std::optional<Factor> schur_ = std::nullopt;
};

class InteriorPoint {
 public:
  explicit InteriorPoint(const QuadraticProgram& program)
      : program_(program), n_(program.c.size()) {
    Number size = 1;
    for (const Number c : program.c) size = std::max(size, std::abs(c));
    for (std::size_t i = 0; i < n_; ++i) {
      const Number top = program.upper[i];
      u_.push_back(std::isfinite(top) ? top / 2 : 1);
      s_.push_back(std::isfinite(top) ? top / 2 : infinity);
      z_.push_back(size);
      v_.push_back(std::isfinite(top) ? size : 0);
    }
    y_.assign(program.b.size(), 0);
  }

  Answer run() {
    keep();
    for (int step = 0; step < most_steps && is_finite(); ++step) {
      const Number size = std::max(std::abs(best_.optimum.high), std::abs(best_.optimum.low));
      // Infinite until a point meets the equations.
      const bool is_known = std::isfinite(size);
      if (is_known && best_.optimum.high - best_.optimum.low <= 8 * epsilon * size) break;
      advance();
      keep();
    }
    return best_;
  }

 private:
  struct Step {
    Vector u, s, z, v, y;
  };

  [[nodiscard]] bool has_top(std::size_t i) const { return std::isfinite(program_.upper[i]); }
  [[nodiscard]] bool is_finite() const {
    return std::ranges::all_of(u_, [](Number x) { return std::isfinite(x); }) &&
           std::ranges::all_of(z_, [](Number x) { return std::isfinite(x); });
  }
  [[nodiscard]] Number complementarity() const {
    Number sum = 0;
    Number count = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum += u_[i] * z_[i] + (has_top(i) ? s_[i] * v_[i] : 0);
      count += has_top(i) ? 2 : 1;
    }
    return sum / count;
  }

  void advance() {
    Vector d(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      d[i] = z_[i] / u_[i] + (has_top(i) ? v_[i] / s_[i] : 0);
    }
    const Saddle saddle(program_, d);
    const Vector zero(n_, 0);
    const Step predictor = step_towards(saddle, 0, zero, zero);
    const Number mu = complementarity();
    const Number reach_p = longest(predictor, true);
    const Number reach_d = longest(predictor, false);
    Number after = 0;
    Number count = 0;
    Vector low(n_);
    Vector high(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      low[i] = predictor.u[i] * predictor.z[i];
      after += (u_[i] + reach_p * predictor.u[i]) * (z_[i] + reach_d * predictor.z[i]);
      count += 1;
      if (!has_top(i)) continue;
      high[i] = predictor.s[i] * predictor.v[i];
      after += (s_[i] + reach_p * predictor.s[i]) * (v_[i] + reach_d * predictor.v[i]);
      count += 1;
    }
    const Number ratio = after / count / mu;
    const Step step = step_towards(saddle, ratio * ratio * ratio * mu, low, high);
    // One length for both: with a quadratic part the dual equations hold for equal ones alone.
    const Number length =
        std::min<Number>(1, 0.995L * std::min(longest(step, true), longest(step, false)));
    for (std::size_t i = 0; i < n_; ++i) {
      u_[i] += length * step.u[i];
      z_[i] += length * step.z[i];
      if (!has_top(i)) continue;
      s_[i] += length * step.s[i];
      v_[i] += length * step.v[i];
    }
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] += length * step.y[k];
  }

  [[nodiscard]] Step step_towards(const Saddle& saddle,
                                  Number target,
                                  const Vector& low,
                                  const Vector& high) const {
    Vector dual = times(program_.q, u_);
    const Vector back = transposed_times(program_.a, y_, n_);
    Vector r(n_);
    Vector room(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      dual[i] += program_.c[i] - back[i] - z_[i] + (has_top(i) ? v_[i] : 0);
      r[i] = -dual[i] + (target - low[i]) / u_[i] - z_[i];
      if (!has_top(i)) continue;
      room[i] = program_.upper[i] - u_[i] - s_[i];
      r[i] -= (target - high[i]) / s_[i] - v_[i] - v_[i] / s_[i] * room[i];
    }
    Vector p = program_.b;
    if (!p.empty()) {
      const Vector reached = times(program_.a, u_);
      for (std::size_t k = 0; k < p.size(); ++k) p[k] -= reached[k];
    }
    Step step;
    saddle.solve(r, p, step.u, step.y);
    step.s.assign(n_, 0);
    step.z.resize(n_);
    step.v.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      step.z[i] = (target - low[i] - z_[i] * step.u[i]) / u_[i] - z_[i];
      if (!has_top(i)) continue;
      step.s[i] = room[i] - step.u[i];
      step.v[i] = (target - high[i] - v_[i] * step.s[i]) / s_[i] - v_[i];
    }
    return step;
  }

  [[nodiscard]] Number longest(const Step& step, bool of_point) const {
    Number length = infinity;
    const auto limit = [&](Number at, Number change) {
      if (change < 0) length = std::min(length, -at / change);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      limit(of_point ? u_[i] : z_[i], of_point ? step.u[i] : step.z[i]);
      if (has_top(i)) limit(of_point ? s_[i] : v_[i], of_point ? step.s[i] : step.v[i]);
    }
    return std::min<Number>(length, 1);
  }

  /// Both ends at the present point, less what their own rounding may be; the best are kept.
  void keep() {
    const Vector qu = times(program_.q, u_);
    const Vector back = transposed_times(program_.a, y_, n_);
    Number square = 0;
    Number lost = 0;
    Number low = dot(y_, program_.b);
    Number linear = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      // What the sums of this row consist of.
      Number size = std::abs(program_.c[i]);
      for (std::size_t j = 0; j < n_; ++j) size += std::abs(program_.q(i, j) * u_[j]);
      square += u_[i] * qu[i];
      linear += program_.c[i] * u_[i];
      lost += roundings * epsilon * std::abs(u_[i]) * size;
      for (std::size_t k = 0; k < y_.size(); ++k) size += std::abs(program_.a(k, i) * y_[k]);
      const Number slope = qu[i] + program_.c[i] - back[i] - roundings * epsilon * size;
      if (slope >= 0) continue;
      // Below zero by rounding alone counts as zero where nothing bounds the variable.
      if (has_top(i)) {
        low += slope * program_.upper[i];
      } else if (slope < -2 * roundings * epsilon * size) {
        low = -infinity;
      }
    }
    low -= square / 2 + lost;
    if (low > best_.optimum.low) {
      best_.optimum.low = low;
      best_.multipliers = y_;
    }
    if (const Number high = square / 2 + linear + lost + price_of_misses();
        high < best_.optimum.high) {
      best_.optimum.high = high;
      best_.u = u_;
    }
  }

  /// What the equations are missed by, times their multipliers; infinite beyond rounding.
  [[nodiscard]] Number price_of_misses() const {
    constexpr Number allowed = 1e-14L;
    if (y_.empty()) return 0;
    const Vector reached = times(program_.a, u_);
    Number price = 0;
    for (std::size_t k = 0; k < y_.size(); ++k) {
      Number size = std::abs(program_.b[k]);
      for (std::size_t j = 0; j < n_; ++j) size += std::abs(program_.a(k, j) * u_[j]);
      const Number miss = std::abs(reached[k] - program_.b[k]);
      if (miss > allowed * size) return infinity;
      price += std::abs(y_[k]) * miss;
    }
    return price;
  }

  const QuadraticProgram& program_;
  std::size_t n_;
  Vector u_ = {};
  Vector s_ = {};
  Vector z_ = {};
  Vector v_ = {};
  Vector y_ = {};
  Answer best_{.optimum = {.low = -infinity, .high = infinity}};
};

}  // namespace

Answer solve(const QuadraticProgram& program) {
  if (program.c.empty()) return {};
  return InteriorPoint(program).run();
}

}  // namespace maxmargin::reference
