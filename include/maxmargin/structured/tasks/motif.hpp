// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/dna.hpp"
#include "maxmargin/structured/task.hpp"

/// Sequences that hold a motif or not: docs/algorithms/motif.md.
namespace maxmargin {

/// Which way a motif may be read.
enum class MotifStrands {
  both,  ///< forwards, or as its reverse complement
  one    ///< forwards alone
};
template <>
inline constexpr auto names_of<MotifStrands> =
    name_table<MotifStrands>({{"both", MotifStrands::both}, {"one", MotifStrands::one}});

struct MAXMARGIN_EXPORT MotifTaskOptions {
  static constexpr std::size_t most_length = 1000;
  static constexpr std::size_t most_order = 5;

  /// l, bases of the motif; 1 to most_length.
  std::size_t length = 11;
  MotifStrands strands = MotifStrands::both;
  /// k: a base of the background depends on so many bases before it; at most most_order.
  std::size_t order = 3;
  /// false: there is no background.
  bool background = true;

  void describe(OptionVisitor& visit);
};

/// A sequence as the task reads it.
struct BaseString {
  /// Of a base that is not known.
  static constexpr std::uint16_t no_context = 0xffff;

  /// Codes: 0 to 3, or unknown_base.
  std::vector<std::uint8_t> bases = {};
  /// Of every base its feature in the background, or no_context.
  std::vector<std::uint16_t> contexts = {};

  [[nodiscard]] std::size_t size() const { return bases.size(); }
};

/// Is there a motif, and where. Place and strand of none are 0 and false.
struct MotifSite {
  bool present = false;
  bool reverse = false;
  /// First base of the window, from 0.
  std::uint32_t place = 0;

  friend bool operator==(const MotifSite&, const MotifSite&) = default;
};

/// A matrix of the motif's columns against a Markov background, with the zero-one loss on whether
/// there is a motif; where it stands is hidden.
class MAXMARGIN_EXPORT MotifTask {
 public:
  using Input = BaseString;
  using Output = MotifSite;

  /// Throws InvalidArgument for wrong options.
  explicit MotifTask(const MotifTaskOptions& options = {});

  [[nodiscard]] const MotifTaskOptions& options() const { return options_; }
  /// 4 a column (A, C, G, T), then the background's.
  [[nodiscard]] std::size_t dimension() const { return matrix_weights() + contexts_; }
  [[nodiscard]] std::size_t matrix_weights() const { return 4 * options_.length; }

  /// Throws InvalidArgument for a letter that is no base.
  [[nodiscard]] BaseString encode(std::string_view sequence) const;

  /// Windows of a sequence.
  [[nodiscard]] std::size_t places(const BaseString& x) const {
    return x.size() < options_.length ? 0 : x.size() - options_.length + 1;
  }

  void joint_features(const BaseString& x, const MotifSite& y, FeatureVector& psi) const;
  /// 1 when one has a motif and the other has none, else 0.
  [[nodiscard]] double loss(const MotifSite& truth, const MotifSite& other) const {
    return truth.present == other.present ? 0 : 1;
  }

  [[nodiscard]] MotifSite predict(const BaseString& x, std::span<const double> w) const;
  [[nodiscard]] MotifSite loss_augmented_argmax(const BaseString& x,
                                                const MotifSite& truth,
                                                std::span<const double> w) const;
  /// The best place of a positive, whatever its score. Throws InvalidArgument for a positive that
  /// is shorter than the motif.
  [[nodiscard]] MotifSite complete(const BaseString& x,
                                   const MotifSite& truth,
                                   std::span<const double> w) const;
  /// A place drawn evenly. Throws as complete does.
  [[nodiscard]] MotifSite random_completion(const BaseString& x,
                                            const MotifSite& truth,
                                            Rng& rng) const;
  /// Is there no choice of the place?
  [[nodiscard]] bool has_one_completion(const BaseString& x, const MotifSite& truth) const {
    return !truth.present || (places(x) == 1 && options_.strands == MotifStrands::one);
  }
  void for_each_output(const BaseString& x,
                       const std::function<void(const MotifSite&)>& visit) const;
  [[nodiscard]] std::size_t argmax_bytes(const BaseString& x) const {
    return (3 * x.size() + 1) * sizeof(double);
  }

  /// d(h) of all places, forwards and, with both strands, of the reverse complement (else empty).
  struct Scores {
    std::vector<double> forward = {};
    std::vector<double> reverse = {};
  };
  void scores(const BaseString& x, std::span<const double> w, Scores& found) const;

  /// The best place and its score. Requires a place.
  struct Best {
    MotifSite site = {};
    double score = 0;
  };
  [[nodiscard]] Best best(const BaseString& x, std::span<const double> w) const;

 private:
  /// Of places with the best score `preferred` where it is among them.
  [[nodiscard]] Best best(const BaseString& x,
                          std::span<const double> w,
                          const MotifSite* preferred) const;
  void require_place(const BaseString& x) const;

  MotifTaskOptions options_;
  std::size_t contexts_ = 0;
};

static_assert(MarginRescalingTask<MotifTask> && EnumerableTask<MotifTask> &&
              MeasuredTask<MotifTask>);

}  // namespace maxmargin
