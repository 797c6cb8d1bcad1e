// SPDX-License-Identifier: Apache-2.0
//
// A A' by connected components: who depends on whom, and the solves of the multiplier step.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/sdp/scaled.hpp"

namespace maxmargin {

namespace {

/// Rows have length 1. A row within 3e-7 of the span of others cannot be told from a dependent one
/// by A A'; presolve looks closer.
constexpr double pivot_tolerance = 1e-13;
/// Conjugate gradients stop at this share of the right-hand side.
constexpr double iterative_tolerance = 1e-12;

/// An entry of a constraint, sorted by its place in X.
struct PlacedEntry {
  std::uint32_t block = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint32_t constraint = 0;
  double value = 0;
};

std::vector<PlacedEntry> entries_by_place(const ScaledSdp& program) {
  std::vector<PlacedEntry> entries;
  for (std::size_t k = 0; k < program.blocks.size(); ++k) {
    const SdpBlockRows& block = program.blocks[k];
    for (std::size_t r = 0; r < block.rows(); ++r) {
      for (const SdpTerm& term : block.row(r)) {
        // Off the diagonal an entry counts twice in <A_i, A_j>.
        const double weight = term.row == term.column ? 1.0 : std::sqrt(2.0);
        entries.push_back({static_cast<std::uint32_t>(k),
                           term.row,
                           term.column,
                           block.constraint[r],
                           weight * term.value});
      }
    }
  }
  std::ranges::sort(entries, [](const PlacedEntry& a, const PlacedEntry& b) {
    return std::tie(a.block, a.row, a.column, a.constraint) <
           std::tie(b.block, b.row, b.column, b.constraint);
  });
  return entries;
}

bool same_place(const PlacedEntry& a, const PlacedEntry& b) {
  return a.block == b.block && a.row == b.row && a.column == b.column;
}

/// Union-find with path halving; the representative is the lowest row.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

ConstraintGram::ConstraintGram(const ScaledSdp& program)
    : rows_(program.constraints()), diagonal_(rows_, 0.0) {
  const std::vector<PlacedEntry> entries = entries_by_place(program);
  Groups groups(rows_);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    diagonal_[entries[i].constraint] += entries[i].value * entries[i].value;
    if (i > 0 && same_place(entries[i - 1], entries[i])) {
      groups.join(entries[i - 1].constraint, entries[i].constraint);
    }
  }
  std::vector<std::vector<std::size_t>> members(rows_);
  std::vector<std::size_t> index(rows_, 0);
  for (std::size_t i = 0; i < rows_; ++i) {
    std::vector<std::size_t>& group = members[groups.find(i)];
    index[i] = group.size();
    group.push_back(i);
  }
  std::size_t numbers = 0;
  for (const std::vector<std::size_t>& group : members) {
    if (group.size() > 1 && group.size() <= largest_component) {
      numbers = checked_add(numbers, 2 * group.size() * group.size());
    }
  }
  require_memory(checked_multiply(numbers, sizeof(double)), "A A' of the constraints");
  std::vector<DenseMatrix> grams(rows_);
  for (std::size_t g = 0; g < rows_; ++g) {
    const std::size_t size = members[g].size();
    if (size == 1) single_.push_back(g);
    if (size > 1 && size <= largest_component) grams[g] = DenseMatrix(size, size);
    if (size > largest_component) {
      iterative_.insert(iterative_.end(), members[g].begin(), members[g].end());
    }
  }
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && same_place(entries[begin], entries[end])) ++end;
    const std::size_t g = groups.find(entries[begin].constraint);
    const bool iterative = members[g].size() > largest_component;
    for (std::size_t a = begin; a < end; ++a) {
      const PlacedEntry& entry = entries[a];
      if (iterative) iterative_touches_.push_back({entry.constraint, a == begin, entry.value});
      if (grams[g].rows() == 0) continue;
      // Entries of one place ascend by constraint, so this is the lower triangle.
      const std::span<double> row = grams[g].row(index[entry.constraint]);
      for (std::size_t b = begin; b <= a; ++b) {
        row[index[entries[b].constraint]] += entry.value * entries[b].value;
      }
    }
    begin = end;
  }
  for (std::size_t g = 0; g < rows_; ++g) {
    if (grams[g].rows() > 0) factor_component(std::move(members[g]), grams[g]);
    grams[g] = DenseMatrix();
  }
  std::ranges::sort(dependences_, {}, &Dependence::row);
}

void ConstraintGram::factor_component(std::vector<std::size_t> rows, const DenseMatrix& gram) {
  const std::size_t n = rows.size();
  if (auto factor = Cholesky::factor(gram.view(), pivot_tolerance)) {
    components_.push_back({std::move(rows), std::move(*factor)});
    return;
  }
  // Row by row: those that depend on earlier ones are named and left out.
  Component component;
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row;
    row.reserve(taken.size());
    for (const std::size_t j : taken) row.push_back(gram(i, j));
    if (component.factor.append(row, gram(i, i), pivot_tolerance)) {
      taken.push_back(i);
      component.rows.push_back(rows[i]);
      continue;
    }
    component.factor.solve(row);
    Dependence dependence{.row = rows[i]};
    dependence.combination.emplace_back(rows[i], 1.0);
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (row[k] != 0) dependence.combination.emplace_back(rows[taken[k]], -row[k]);
    }
    dependences_.push_back(std::move(dependence));
  }
  components_.push_back(std::move(component));
}

void ConstraintGram::solve(std::span<const double> b, std::span<double> y) const {
  if (!iterative_.empty()) solve_iteratively(b, y);
  for (const std::size_t i : single_) y[i] = diagonal_[i] > 0 ? b[i] / diagonal_[i] : 0.0;
  std::vector<double> part;
  for (const Component& component : components_) {
    part.clear();
    for (const std::size_t i : component.rows) part.push_back(b[i]);
    component.factor.solve(part);
    for (std::size_t k = 0; k < part.size(); ++k) y[component.rows[k]] = part[k];
  }
  for (const Dependence& dependence : dependences_) y[dependence.row] = 0;
}

BlockMatrix homogeneous_part(const ScaledSdp& program,
                             const ConstraintGram& gram,
                             BlockMatrix x,
                             std::size_t threads) {
  std::vector<double> values(program.constraints());
  program.apply(x, values, threads);
  std::vector<double> multipliers(values.size(), 0.0);
  gram.solve(values, multipliers);
  program.add_adjoint(-1.0, multipliers, x);
  return x;
}

void ConstraintGram::multiply(std::span<const double> y, std::span<double> result) const {
  for (const std::size_t i : iterative_) result[i] = 0;
  const std::vector<Touch>& touches = iterative_touches_;
  for (std::size_t begin = 0; begin < touches.size();) {
    double sum = 0;
    std::size_t end = begin;
    do {
      sum += touches[end].value * y[touches[end].constraint];
      ++end;
    } while (end < touches.size() && !touches[end].first);
    for (; begin < end; ++begin) result[touches[begin].constraint] += touches[begin].value * sum;
  }
}

/// Conjugate gradients with the diagonal as preconditioner.
void ConstraintGram::solve_iteratively(std::span<const double> b, std::span<double> y) const {
  std::vector<double> residual(rows_, 0.0);
  std::vector<double> direction(rows_, 0.0);
  std::vector<double> image(rows_, 0.0);
  multiply(y, image);
  double target = 0;
  double old = 0;
  for (const std::size_t i : iterative_) {
    residual[i] = b[i] - image[i];
    direction[i] = residual[i] / diagonal_[i];
    old += residual[i] * direction[i];
    target += b[i] * b[i] / diagonal_[i];
  }
  target *= iterative_tolerance * iterative_tolerance;
  for (std::size_t step = 0; step < 500 && old > target; ++step) {
    multiply(direction, image);
    double curvature = 0;
    for (const std::size_t i : iterative_) curvature += direction[i] * image[i];
    if (!(curvature > 0)) return;
    const double length = old / curvature;
    double now = 0;
    for (const std::size_t i : iterative_) {
      y[i] += length * direction[i];
      residual[i] -= length * image[i];
      now += residual[i] * residual[i] / diagonal_[i];
    }
    for (const std::size_t i : iterative_) {
      direction[i] = residual[i] / diagonal_[i] + now / old * direction[i];
    }
    old = now;
  }
}

}  // namespace maxmargin
