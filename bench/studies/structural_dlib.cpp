// SPDX-License-Identifier: Apache-2.0
// dlib's sequence labeller on the words of the structural study, with our layout of weights, so
// that our own code can say what its weights are worth. Built where dlib is installed.
//   study_structural_dlib FILE C EPSILON THREADS
// C is ours: of the sum of losses; dlib's is that times the number of words.
#include <dlib/svm_threaded.h>

#include <exception>
#include <iostream>
#include <vector>

#include "maxmargin/core/timer.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "structural_words.hpp"

namespace {

using namespace maxmargin;

/// What dlib calls a feature extractor.
class PixelsAndPairs {
 public:
  /// The black pixels of every letter.
  using sequence_type = std::vector<std::vector<unsigned long>>;

  explicit PixelsAndPairs(const ChainTask& task)
      : labels_(task.labels()), pairs_(task.pair_index(0, 0)), weights_(task.dimension()) {}

  [[nodiscard]] unsigned long num_features() const { return weights_; }
  [[nodiscard]] unsigned long order() const { return 1; }
  [[nodiscard]] unsigned long num_labels() const { return labels_; }

  /// letters(0) is that of the position, letters(1) the one before it.
  template <class Setter, class Expression>
  void get_features(Setter& set_feature,
                    const sequence_type& word,
                    const dlib::matrix_exp<Expression>& letters,
                    unsigned long position) const {
    for (const unsigned long pixel : word[position]) set_feature(pixel * labels_ + letters(0));
    if (letters.size() > 1) set_feature(pairs_ + letters(1) * labels_ + letters(0));
  }

 private:
  unsigned long labels_;
  unsigned long pairs_;
  unsigned long weights_;
};

int run(int count, char** argument) {
  if (count != 5) throw InvalidArgument("see the head of bench/studies/structural_dlib.cpp");
  const Words words = read_words(argument[1]);
  const double c = number_of(argument[2]);
  std::vector<PixelsAndPairs::sequence_type> inputs;
  std::vector<std::vector<unsigned long>> labels;
  for (std::size_t i = 0; i < words.data.size(); ++i) {
    const Sequence& word = words.data.inputs[i];
    PixelsAndPairs::sequence_type letters;
    for (std::size_t t = 0; t < word.size(); ++t) {
      const auto pixels = word.indices_at(t);
      letters.emplace_back(pixels.begin(), pixels.end());
    }
    inputs.push_back(std::move(letters));
    labels.emplace_back(words.data.labels[i].begin(), words.data.labels[i].end());
  }

  dlib::structural_sequence_labeling_trainer<PixelsAndPairs> trainer{PixelsAndPairs(words.task)};
  trainer.set_c(c * static_cast<double>(words.data.size()));
  trainer.set_epsilon(number_of(argument[3]));
  trainer.set_num_threads(static_cast<unsigned long>(number_of(argument[4])));
  const double cpu_before = cpu_seconds();
  const Stopwatch watch;
  const auto labeler = trainer.train(inputs, labels);
  const double seconds = watch.seconds();
  const double cpu = cpu_seconds() - cpu_before;

  const auto& found = labeler.get_weights();
  const std::vector<double> w(found.begin(), found.end());
  require(w.size() == words.task.dimension(), "dlib has another number of weights");
  const StructuralHinge<ChainTask> risk(words.task, words.data.inputs, words.data.labels);
  print("seconds", seconds);
  print("cpu_seconds", cpu);
  print("objective", structural_primal(risk, c, w));
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  try {
    return run(count, argument);
  } catch (const std::exception& problem) {
    std::cerr << "study_structural_dlib: " << problem.what() << '\n';
    return 2;
  }
}
