// SPDX-License-Identifier: Apache-2.0
//
// Learners of sequences, partitions and alignments: from memory to a model, and back from its
// bytes; and the files that they read.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "learner/structured/sources_text.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/learner/learner.hpp"
#include "partition_cases.hpp"
#include "small_texts.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

using learning::StructuredLearner;

constexpr const char* chunked_lines =
    "the|DT/B-NP old|JJ/I-NP man|NN/I-NP saw|VBD/B-VP a|DT/B-NP dog|NN/I-NP .|./O\n"
    "she|PRP/B-NP ran|VBD/B-VP\n"
    "dogs|NNS/B-NP see|VBP/B-VP men|NNS/B-NP .|./O\n";

/// The same as a file has it.
std::string chunked_file() {
  std::string text;
  for (const char c : std::string_view(chunked_lines)) {
    if (c == '\n') text += '\n';
    text += c == ' ' || c == '\n' ? '\n' : c == '|' || c == '/' ? '\t' : c;
  }
  return text;
}

SequenceCollection chunked_text() {
  return {.format = SequenceFormat::conll, .text = tagged_text(chunked_lines, 2)};
}

/// Words that lead to their labels, and the label before.
SequenceData numbers() {
  Rng rng(3, "sequences", 0);
  SequenceData data{.label_names = {"a", "b", "c"}, .features = 4, .source = "numbers"};
  for (int i = 0; i < 12; ++i) {
    Sequence x;
    LabelSequence y;
    for (int t = 0; t < 5; ++t) {
      const auto label = static_cast<std::uint32_t>(rng.index(3));
      y.push_back(label);
      x.indices.push_back(rng.bernoulli(0.8) ? label : 3);
      x.begins.push_back(x.indices.size());
    }
    data.inputs.push_back(std::move(x));
    data.labels.push_back(std::move(y));
  }
  return data;
}

PartitionCollection documents() {
  Rng rng(5, "documents", 0);
  return {.data = planted_documents(6, 3, 7, 0.1, rng)};
}

AlignmentData pairs() {
  return generate_alignments({.pairs = 6, .length = 12, .identity = 0.6, .seed = 2});
}

Training trained(const std::string& name, const LearnerData& data, const OptionTexts& options) {
  return learner(name).train(
      data, {.options = options, .context = {.threads = 1}, .keep_certificate = true});
}

template <class Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string option_problem(const std::string& name, const OptionTexts& options) {
  return problem_of([&] { learner(name).check_options(options); });
}

/// Trains, writes to bytes, reads, and holds prediction and certificate to the first model's.
Model expect_same_after_bytes(const std::string& name,
                              const LearnerData& data,
                              const OptionTexts& options,
                              bool has_certificate = true) {
  const Training training = trained(name, data, options);
  Model again = load_model_bytes(model_bytes(*training.model));
  EXPECT_EQ(model_bytes(again), model_bytes(*training.model));
  EXPECT_EQ(again.header().learner, name);
  EXPECT_EQ(again.header().examples, training.report.n);
  const Prediction first = learner(name).predict(*training.model, data, {}, {});
  const Prediction second = predict(again, data);
  EXPECT_FALSE(first.lines.empty());
  EXPECT_EQ(first.lines, second.lines);
  EXPECT_EQ(first.report.metrics, second.report.metrics);
  const Verification found = learner(name).verify(again, data, {});
  if (has_certificate) {
    EXPECT_EQ(training.report.solve.status, Status::solved);
    EXPECT_EQ(again.header().primal_objective, training.report.solve.primal_objective);
    EXPECT_EQ(found.agrees, true) << found.complaint;
  } else {
    EXPECT_FALSE(found.agrees);
    EXPECT_FALSE(found.complaint.empty());
  }
  return again;
}

TEST(StructuredText, TaggersOfTextComeBackFromBytes) {
  const Model model = expect_same_after_bytes("sequence", chunked_text(), {});
  const ModelDocument& document = model.document();
  EXPECT_EQ(document.string("text.format"), "conll");
  EXPECT_EQ(document.integer("text.columns"), 2);
  EXPECT_EQ(document.string("option.template"), "chunking");
  EXPECT_EQ(document.integer("option.order"), 1);
  EXPECT_EQ(document.integer("option.min_count"), 1);
  EXPECT_FALSE(document.has("option.hash_bits"));
  const Prediction answer = predict(model, chunked_text());
  ASSERT_EQ(answer.sequences.size(), 3u);
  EXPECT_EQ(answer.report.metric("token_accuracy"), 1.0);
  EXPECT_EQ(answer.lines.substr(0, 12), "the\tDT\tB-NP\n");
  expect_same_after_bytes("sequence",
                          chunked_text(),
                          {{"index", "hashed"},
                           {"hash-bits", "8"},
                           {"rescaling", "slack"},
                           {"chunks", "iob2"},
                           {"class-weight", "balanced"},
                           {"template", "tagging"}});
}

TEST(StructuredText, TaggersOfNumbersComeBackFromBytes) {
  const SequenceCollection data{.numbers = numbers()};
  for (const char* solver : {"bcfw", "one-slack", "n-slack", "crf"}) {
    SCOPED_TRACE(solver);
    const Model model = expect_same_after_bytes("sequence", data, {{"solver", solver}});
    EXPECT_EQ(model.document().string("text.format"), "svmhmm");
    EXPECT_FALSE(model.document().has("option.index"));
    EXPECT_EQ(model.document().has("option.rescaling"), std::string(solver) != "crf");
  }
  for (const char* solver : {"perceptron", "mira"}) {
    SCOPED_TRACE(solver);
    const Model model = expect_same_after_bytes("sequence", data, {{"solver", solver}}, false);
    EXPECT_EQ(model.document().integer("option.max_iterations"), 10);
    EXPECT_FALSE(model.document().has("option.tolerance"));
  }
  expect_same_after_bytes("sequence", data, {{"order", "2"}, {"class-weight", "b=2,c=0.5"}});
}

TEST(StructuredText, SequencesOfOtherFeaturesDoNotVerify) {
  const Training training = trained("sequence", SequenceCollection{.numbers = numbers()}, {});
  SequenceData wide = numbers();
  ++wide.features;
  const Verification found = verify(*training.model, SequenceCollection{.numbers = wide});
  EXPECT_EQ(found.agrees, false);
  EXPECT_EQ(found.complaint, "numbers has 5 features, the model 4");
}

TEST(StructuredText, LabelsOfOtherDataGoByTheirNames) {
  const Training training = trained("sequence", SequenceCollection{.numbers = numbers()}, {});
  const auto accuracy = [&](const SequenceData& data) {
    return predict(*training.model, SequenceCollection{.numbers = data})
        .report.metric("token_accuracy");
  };
  SequenceData other = numbers();
  other.label_names = {"new", "c", "b", "a"};
  for (LabelSequence& labels : other.labels) {
    for (std::uint32_t& label : labels) label = 3 - label;
  }
  EXPECT_EQ(accuracy(other), accuracy(numbers()));
  other.labels[0][0] = 0;
  const Prediction answer = predict(*training.model, SequenceCollection{.numbers = other});
  ASSERT_EQ(answer.report.solve.warnings.size(), 1u);
  EXPECT_NE(answer.report.solve.warnings[0].find("(new): they count as errors"), std::string::npos);
  other.labels[0][0] = 4;
  EXPECT_THROW((void)accuracy(other), InvalidArgument);
  EXPECT_THROW((void)predict(*training.model, chunked_text()), InvalidArgument);
}

TEST(StructuredText, TaggersSayWhatElseTheyCouldHaveSaid) {
  const Training training = trained("sequence", chunked_text(), {});
  const Prediction best = predict(*training.model, chunked_text(), {{"n-best", 2}});
  EXPECT_TRUE(best.lines.starts_with("# sequence 1 rank 1 score = "));
  const Prediction margins = predict(*training.model, chunked_text(), {{"margins", true}});
  EXPECT_EQ(std::ranges::count(margins.lines, '\t'), 3 * 13);
  EXPECT_EQ(problem_of([&] {
              (void)predict(*training.model, chunked_text(), {{"n-best", 2}, {"margins", true}});
            }),
            "--n-best and --margins exclude each other");
}

TEST(StructuredText, PartitionersComeBackFromBytes) {
  const Model model = expect_same_after_bytes("partition", documents(), {});
  EXPECT_EQ(model.document().string("oracle"), "exact");
  EXPECT_FALSE(model.document().has("option.wrong_link"));
  EXPECT_EQ(predict(model, documents()).partitions.size(), 6u);
  expect_same_after_bytes(
      "partition", documents(), {{"loss", "links"}, {"wrong-link", "0.5"}, {"inference", "exact"}});
  const Model greedy =
      expect_same_after_bytes("partition", documents(), {{"inference", "greedy"}}, false);
  EXPECT_EQ(greedy.document().string("oracle"), "inexact");
}

TEST(StructuredText, ForestPartitionersComeBackFromBytes) {
  const OptionTexts options = {
      {"wrong-link", "0.5"}, {"document-weight", "size"}, {"restarts", "2"}, {"C", "10"}};
  const Training training = trained("coreference", documents(), options);
  EXPECT_EQ(training.report.solve.status, Status::local_optimum);
  EXPECT_EQ(training.report.oracle, "exact");
  const Model again = load_model_bytes(model_bytes(*training.model));
  EXPECT_EQ(model_bytes(again), model_bytes(*training.model));
  EXPECT_EQ(predict(again, documents()).partitions,
            predict(*training.model, documents()).partitions);
  const Verification found = learner("coreference").verify(again, documents(), {});
  EXPECT_EQ(found.agrees, true) << found.complaint;
  // The solver has the same sum in another order.
  const double objective = again.header().primal_objective.value();
  EXPECT_NEAR(found.primal.value(), objective, 1e-9 * objective);
}

TEST(StructuredText, AlignersComeBackFromBytes) {
  const OptionTexts options = {{"C", "10"}, {"tolerance", "0.01"}, {"gaps", "affine"}};
  const Model model = expect_same_after_bytes("align", pairs(), options);
  EXPECT_EQ(predict(model, pairs()).alignments.size(), 6u);
  expect_same_after_bytes("align",
                          pairs(),
                          {{"C", "10"},
                           {"tolerance", "0.01"},
                           {"mode", "local"},
                           {"symmetric", "true"},
                           {"loss", "q4"},
                           {"loss-side", "known"},
                           {"normalise", "none"}});
  const Model table = expect_same_after_bytes(
      "align", pairs(), {{"substitution", "blosum62"}, {"gap-costs", "4"}}, false);
  EXPECT_EQ(table.document().string("option.substitution"), "blosum62");
  EXPECT_FALSE(table.document().has("option.C"));
}

TEST(StructuredText, DefaultsAreThoseOfTheTool) {
  const auto fallback = [](const std::string& name, const std::string& option) -> std::string {
    for (const OptionDescription& each : learner(name).options()) {
      if (each.name == option) return each.fallback;
    }
    return "missing";
  };
  EXPECT_EQ(fallback("sequence", "solver"), "bcfw");
  EXPECT_EQ(fallback("sequence", "chunks"), "none");
  EXPECT_EQ(fallback("sequence", "hash-bits"), "20");
  EXPECT_EQ(fallback("partition", "loss"), "pairs");
  EXPECT_EQ(fallback("partition", "inference"), "auto");
  EXPECT_EQ(fallback("align", "substitution"), "residues");
  EXPECT_EQ(fallback("align", "loss"), "q");
  EXPECT_EQ(fallback("align", "gaps"), "linear");
  EXPECT_EQ(fallback("align", "end-gaps"), "scored");
  EXPECT_EQ(fallback("align", "normalise"), "length");
}

TEST(StructuredText, IllegalOptionsAreNamedByTheirFlags) {
  const auto sequence = [](const OptionTexts& options) {
    return option_problem("sequence", options);
  };
  EXPECT_EQ(sequence({{"tolerance", "-1"}}), "--tolerance -1: must be a number in (0, 1)");
  EXPECT_NE(sequence({{"order", "3"}}).find("--order 3: must be"), std::string::npos);
  EXPECT_NE(sequence({{"solver", "crff"}}).find("did you mean crf"), std::string::npos);
  EXPECT_NE(sequence({{"hash-bits", "32"}}).find("--hash-bits 32: must be"), std::string::npos);
  EXPECT_EQ(sequence({{"hash-bits", "8"}}), "--hash-bits: belongs to --index hashed");
  EXPECT_EQ(sequence({{"min-count", "2"}, {"index", "hashed"}}),
            "--min-count: belongs to --index dictionary");
  EXPECT_EQ(sequence({{"solver", "perceptron"}, {"C", "2"}}), "-C: --solver perceptron has none");
  EXPECT_EQ(sequence({{"solver", "crf"}, {"rescaling", "slack"}}),
            "--rescaling: --solver crf has none");
  EXPECT_EQ(sequence({{"solver", "crf"}, {"class-weight", "balanced"}}),
            "--class-weight: --solver crf has none");
  EXPECT_EQ(sequence({{"solver", "crf"}, {"order", "2"}}), "--order: must be 1 with --solver crf");
  EXPECT_NE(sequence({{"class-weight", "b=-1"}}).find("--class-weight b=-1: must be balanced"),
            std::string::npos);
  EXPECT_NE(sequence({{"wrong-link", "1"}}).find("--wrong-link: the learner sequence"),
            std::string::npos);

  EXPECT_EQ(option_problem("partition", {{"wrong-link", "2"}}),
            "--wrong-link: belongs to --loss links");
  EXPECT_NE(option_problem("partition", {{"inference", "exakt"}}).find("did you mean exact"),
            std::string::npos);

  EXPECT_EQ(option_problem("coreference", {{"wrong-link", "0"}}),
            "--wrong-link 0: must be a finite number > 0");
  EXPECT_EQ(option_problem("coreference", {{"start", "weights"}}),
            "--start weights: needs --start-model FILE");
  EXPECT_EQ(option_problem("coreference", {{"start-model", "m.mm"}}),
            "--start-model: belongs to --start weights");

  EXPECT_EQ(option_problem("align", {{"loss", "q-1"}}),
            "--loss q-1: must be q, q4, or qN that forgives shifts of N");
  EXPECT_EQ(option_problem("align", {{"symmetric", "true"}, {"substitution", "tensor"}}),
            "--symmetric: belongs to --substitution residues and residue-windows");
  EXPECT_EQ(option_problem("align", {{"symmetric", "true"}, {"substitution", "blosum62"}}),
            "--symmetric: belongs to --substitution residues and residue-windows");
  EXPECT_EQ(option_problem("align", {{"gap-costs", "1"}}),
            "--gap-costs: belongs to --substitution blosum62 and log-odds");
  EXPECT_EQ(option_problem("align",
                           {{"gap-costs", "1"}, {"substitution", "blosum62"}, {"gaps", "affine"}}),
            "--gap-costs 1: must be GAP,OPENING for --gaps affine");
  EXPECT_EQ(option_problem("align", {{"C", "2"}, {"substitution", "blosum62"}}),
            "-C: belongs to substitutions that are learned");
}

TEST(StructuredText, OptionsThatDoNotFitTheDataAreNamed) {
  const SequenceCollection data{.numbers = numbers()};
  const auto problem =
      [](const std::string& name, const LearnerData& given, const OptionTexts& options) {
        return problem_of([&] { (void)trained(name, given, options); });
      };
  EXPECT_EQ(problem("sequence", data, {{"template", "tagging"}}),
            "--template: belongs to text, the data is numbers");
  EXPECT_EQ(problem("sequence", data, {{"class-weight", "d=2"}}),
            "--class-weight d=2: must be balanced, or LABEL=WEIGHT,... of labels in the data");
  EXPECT_NE(problem("sequence", data, {{"class-weight", "a=0.123,b=0.7"}, {"rescaling", "slack"}})
                .find("must be whole multiples of one number"),
            std::string::npos);
  EXPECT_NE(problem("sequence", data, {{"solver", "crf"}, {"checkpoint", "x"}})
                .find("--checkpoint: --solver crf keeps no checkpoints"),
            std::string::npos);
  EXPECT_EQ(problem("partition", documents(), {{"max-mentions-between", "3"}}),
            "--max-mentions-between: belongs to text, the data is pairs");
  EXPECT_NE(problem("align", documents(), {}).find("takes alignments"), std::string::npos);
  AlignmentData plain = pairs();
  plain.references.clear();
  EXPECT_NE(problem("align", plain, {}).find("has no alignments to learn from"), std::string::npos);
}

class StructuredTextFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path(name)) << text;
    return folder_.path(name);
  }
  TemporaryFolder folder_;
};

TEST_F(StructuredTextFiles, SequencesAreReadAgainAsTheModelKnowsThem) {
  const std::string path = written("train.conll", chunked_file());
  const SequenceCollection read = learning::read_sequences(path, {}, {});
  EXPECT_EQ(read.format, SequenceFormat::conll);
  EXPECT_EQ(read.path, path);
  const Training training = trained("sequence", read, {});
  const learning::KnownSequences known = learning::known_sequences(training.model->document());
  EXPECT_EQ(known.columns, 2u);
  const std::string bare = written("new.conll", "the\tDT\nman\tNN\n\n");
  const SequenceCollection news = learning::read_sequences(bare, {}, {}, &known);
  EXPECT_FALSE(news.text->has_tags());
  EXPECT_EQ(predict(*training.model, news).lines, "the\tDT\tB-NP\nman\tNN\tI-NP\n\n");
  EXPECT_THROW((void)learning::read_sequences(bare, {.format = SequenceFormat::svmhmm}, {}, &known),
               InvalidArgument);
  EXPECT_EQ(problem_of([&] { (void)learning::read_sequences(path, {.label = "x"}, {}); }),
            "--label x: must be the number of a column from 1, or none");
  EXPECT_EQ(problem_of([&] { (void)learning::read_sequences(path, {.columns = "FORM"}, {}); }),
            "--columns: belongs to conllu files, the data is conll");
}

TEST_F(StructuredTextFiles, TagsThatBreakTheRulesOfChunksAreNamedByTheirLine) {
  const std::string path = written("broken.conll", "a\tO\nb\tB-NP\n\nc\tO\nd\tI-NP\n\n");
  const SequenceCollection read = learning::read_sequences(path, {}, {});
  EXPECT_EQ(problem_of([&] {
              (void)trained("sequence", read, {{"chunks", "iob2"}});
            }),
            path + ":5: the tag I-NP, behind O and last: such tags break the rules of --chunks");
  SequenceCollection memory = read;
  memory.path.clear();
  EXPECT_THROW((void)trained("sequence", memory, {{"chunks", "iob2"}}), InvalidArgument);
}

TEST_F(StructuredTextFiles, PredictionsAreMeasuredAgainstTruths) {
  const auto evaluate = [](const std::string& name,
                           const std::string& truth,
                           const std::string& predicted,
                           const OptionTexts& options = {}) {
    return dynamic_cast<const StructuredLearner&>(learner(name))
        .evaluate(truth, predicted, options, {});
  };
  const std::string truth = written("truth", "a\tO\nb\tB-NP\n\n");
  const std::string answer = written("answer", "a\tO\nb\tO\n\n");
  const RunReport report = evaluate("sequence", truth, answer);
  EXPECT_EQ(report.n, 1u);
  EXPECT_EQ(report.metric("token_accuracy"), 0.5);
  EXPECT_EQ(report.metric("chunk_recall"), 0.0);
  EXPECT_NE(problem_of([&] {
              (void)evaluate("sequence", truth, answer, {{"columns", "FORM"}});
            }).find("--columns: --task sequence"),
            std::string::npos);
  const std::string items = written("items", "document d\nitem a 0\nitem b 0\nitem c 1\n");
  EXPECT_EQ(evaluate("partition", items, items).metric("document_accuracy"), 1.0);
  const std::string rows = written("rows", ">s\nAC-D\n>t\nA-ED\n");
  EXPECT_EQ(evaluate("align", rows, rows).metric("q"), 1.0);
  EXPECT_EQ(problem_of([&] { (void)learning::read_alignments(rows, {.label = "none"}); }), "none");
}

}  // namespace
}  // namespace maxmargin
