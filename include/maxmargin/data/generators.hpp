// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/alignment.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/dna.hpp"

/// All synthetic data sets. io/table/builtin.hpp makes them from text such as
/// "circles,n=200,seed=1". Unless said otherwise, rows are in an order drawn with the seed, labels
/// are 1, 2, ..., and classes have equal sizes up to one, the first ones larger.
namespace maxmargin {

/// Two rings, one around the other.
struct MAXMARGIN_EXPORT CirclesOptions {
  /// Number of rows, >= 2.
  std::size_t n = 200;
  /// Radius of class 1, > 0.
  double inner = 1;
  /// Radius of class 2, >= inner.
  double outer = 2;
  /// How far the centre of class 1 is to the right of the origin; near outer - inner the rings all
  /// but touch.
  double shift = 0;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Angles are drawn uniformly.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_circles(const CirclesOptions& options = {});

/// Rings that cross each other: their centres are the corners of a regular polygon.
struct MAXMARGIN_EXPORT JoinedCirclesOptions {
  /// Number of rows, >= circles.
  std::size_t n = 200;
  /// Number of rings, one class each, >= 1. Two have their centres at (-distance/2, 0) and
  /// (distance/2, 0).
  std::size_t circles = 2;
  /// > 0.
  double radius = 1;
  /// Between the centres of neighbours, >= 0; below 2 radius the rings cross.
  double distance = 1.8;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Angles are drawn uniformly.
[[nodiscard]] MAXMARGIN_EXPORT Dataset
generate_joined_circles(const JoinedCirclesOptions& options = {});

/// A ring around the origin (class 1) with two Gaussian balls inside (classes 2 and 3).
struct MAXMARGIN_EXPORT CircleAndBallsOptions {
  /// Number of rows, >= 3.
  std::size_t n = 150;
  /// Of the ring, > 0.
  double radius = 3;
  /// Between the balls' centres (-distance/2, 0) and (distance/2, 0), >= 0.
  double distance = 2;
  /// Deviation of the balls, >= 0.
  double ball = 0.25;
  /// Deviation of the Gaussian noise of the ring in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Angles on the ring are drawn uniformly.
[[nodiscard]] MAXMARGIN_EXPORT Dataset
generate_circle_and_balls(const CircleAndBallsOptions& options = {});

/// Round Gaussian classes of variance 1.
struct MAXMARGIN_EXPORT GaussiansOptions {
  /// Number of rows, >= k.
  std::size_t n = 200;
  /// Number of classes, >= 1.
  std::size_t k = 2;
  /// Number of features, >= 1.
  std::size_t d = 2;
  /// Distance between the means of neighbours, >= 0. Two classes: means -1.7 e1 and 1.7 e1.
  double separation = 3.4;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Means are the corners of a regular polygon in the first two features, or evenly spaced on a line
/// when d = 1; they are centred on the origin. Two classes have Bayes error Phi(-separation / 2),
/// 4.46 % by default. Rows are in an order drawn with the seed; labels are 1, 2, ...; the classes
/// have equal sizes up to one, the first ones larger.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_gaussians(const GaussiansOptions& options = {});

/// A checkerboard of unit squares.
struct MAXMARGIN_EXPORT CheckersOptions {
  /// Number of rows, >= 2.
  std::size_t n = 1000;
  /// Squares a side, >= 2.
  std::size_t cells = 4;
  /// Deviation of the Gaussian noise that is added to both coordinates after the class is set, >=
  /// 0.
  double jitter = 0.02;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Points uniform on the squares of [0, cells)^2. Class 1 has the squares whose numbers add up to
/// an even number, class 2 the others; half of the rows each, class 1 gets the odd one. The jitter
/// carries about 1.6 jitter (cells - 1) / cells of the points over a border: by default the Bayes
/// error is near 2.4 %. Rows are in an order drawn with the seed.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_checkers(const CheckersOptions& options = {});

/// Two half circles that reach into each other.
struct MAXMARGIN_EXPORT MoonsOptions {
  /// Number of rows, >= 2. Class 2 gets the odd one.
  std::size_t n = 200;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// As scikit-learn's make_moons: class 1 on (cos t, sin t), class 2 on (1 - cos t, 1/2 - sin t),
/// with t evenly spaced over [0, pi], both ends included.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_moons(const MoonsOptions& options = {});

/// Wavy lines above each other, wider than all of them are high.
struct MAXMARGIN_EXPORT SquigglesOptions {
  /// Number of rows, >= curves.
  std::size_t n = 120;
  /// Number of lines, one class each, >= 1.
  std::size_t curves = 3;
  /// Extent of the lines in x, > 0.
  double length = 6;
  /// Wave length, > 0.
  double period = 2;
  /// Height of the waves, >= 0.
  double amplitude = 0.4;
  /// Vertical distance between the lines, >= 0.
  double gap = 1;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Class c on (x, c gap + amplitude sin(2 pi x / period)), c = 0, 1, ..., with x drawn uniformly
/// from [0, length).
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_squiggles(const SquigglesOptions& options = {});

/// Letters side by side, a class a letter.
struct MAXMARGIN_EXPORT LettersOptions {
  /// Number of rows, >= letters.
  std::size_t n = 100;
  /// What is written: letters `a` and `i`, drawn as capitals; at least one.
  std::string word = "ai";
  /// Of the letters, > 0. An A is 1 wide, an I 1/2.
  double height = 2;
  /// Between neighbours, >= 0.
  double gap = 0.3;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.02;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Points are uniform along the strokes of each letter.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_letters(const LettersOptions& options = {});

struct DataWithOutliers {
  Dataset data = {};
  /// Rows that are outliers, in increasing order.
  std::vector<std::size_t> outliers = {};
};

/// Directions in classes, with a few points moved away from the sphere.
struct MAXMARGIN_EXPORT SphereOptions {
  /// Number of rows, outliers included, >= classes.
  std::size_t n = 40;
  /// >= 1.
  std::size_t classes = 2;
  /// Number of features, >= 2.
  std::size_t d = 2;
  /// Deviation of the points around their class's direction before they are put on the sphere, > 0.
  double spread = 0.3;
  /// How many points are moved outwards, taken from the classes in turn; <= n.
  std::size_t outliers = 1;
  /// Distance of the outliers from the origin, >= 1.
  double radius = 10;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Class c is spread around the direction at angle pi/2 + 2 pi c / classes in the first two
/// features (two classes: -e1 and e1); every point is divided by its norm, and the outliers are
/// multiplied by `radius` after that. Classes have equal sizes up to one.
[[nodiscard]] MAXMARGIN_EXPORT DataWithOutliers generate_sphere(const SphereOptions& options = {});

/// Two long Gaussian classes with points of random label on a ring far out.
struct MAXMARGIN_EXPORT RingOutliersOptions {
  /// Number of rows, outliers included, >= outliers + 2.
  std::size_t n = 50;
  /// Rows on the ring. With 0 this is the clean test set.
  std::size_t outliers = 10;
  /// Inner radius of the ring, >= 0.
  double radius = 15;
  /// Outer minus inner radius, >= 0.
  double width = 1;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Class 1 is N((-3, 3), S), class 2 is N((3, -3), S) with S = [[20, 16], [16, 20]], half of the
/// clean rows each (class 1 gets the odd one). Ring points have a uniform angle, a uniform radius
/// and either label with probability 1/2. Without outliers the best rule is class 2 where x1 > x2,
/// with error Phi(-sqrt(18)/2) = 1.69 %.
[[nodiscard]] MAXMARGIN_EXPORT DataWithOutliers
generate_ring_outliers(const RingOutliersOptions& options = {});

/// Pairs that descend from a common ancestor, with the true alignment and all tracks.
struct MAXMARGIN_EXPORT PlantedAlignmentOptions {
  std::size_t pairs = 20;
  /// Residues of the ancestor; at least 1. Sequences become a little shorter or longer.
  std::size_t length = 60;
  /// Chance that a residue of either sequence is still the ancestor's; else it is drawn from those
  /// that its surface likes. Smaller makes residues say less.
  double identity = 0.3;
  /// Chance that structure and surface of the target (predicted, in real data) are right at a
  /// position; those of the known sequence always are.
  double track_accuracy = 0.8;
  /// Chance that a run of gaps opens behind a residue, and that it goes on.
  double gap_opening = 0.05;
  double gap_extension = 0.6;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// An ancestor is a row of helices, strands and coils of 4 to 12 residues, with a surface that
/// turns with the structure (buried every fourth residue of a helix, every second one of a strand,
/// coils are exposed); buried residues are mostly AFILMVWC, exposed ones DEGHKNPQRSTY. Profiles
/// count the ancestor's residue and its group. Families are the numbers of pairs.
[[nodiscard]] MAXMARGIN_EXPORT AlignmentData
generate_alignments(const PlantedAlignmentOptions& options = {});

/// Sequences of DNA, every second one with a motif somewhere.
struct MAXMARGIN_EXPORT MotifsOptions {
  /// Number of sequences.
  std::size_t n = 200;
  /// Bases of each; at least as many as the motif has.
  std::size_t length = 100;
  /// Letters A, C, G and T, at least one.
  std::string motif = "ACATTAGCCG";
  /// Chance that a base of a planted motif is drawn anew; larger makes it harder to find.
  double noise = 0.1;
  /// Is it planted forwards or as its reverse complement, with equal chance?
  bool both_strands = true;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// The background is a Markov chain of first order that likes to repeat a base. Sequences without
/// the motif are drawn until they do not hold it by chance; names are m0, m1, ...
[[nodiscard]] MAXMARGIN_EXPORT DnaData generate_motifs(const MotifsOptions& options = {});

}  // namespace maxmargin
