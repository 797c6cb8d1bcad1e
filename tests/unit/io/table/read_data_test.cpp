// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/read_data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "dataset_equality.hpp"
#include "io/table/idx.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/npy.hpp"
#include "maxmargin/io/table/write_data.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

DataFormat detected(const std::string& text) {
  Input input = Input::from_memory("mem", text);
  const DataFormat format = detect_format(input);
  EXPECT_EQ(input.read_all(), text);  // nothing was consumed
  return format;
}

/// What `call` throws as an Error, or "no error".
template <class Call>
std::string problem_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Files in a folder of their own.
class ReadData : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& contents) {
    write_file(folder_.path(name), contents);
    return folder_.path(name);
  }
  /// The message of reading, without the folder's name.
  std::string problem(const std::string& path, const ReadOptions& options = {}) {
    std::string message = problem_of([&] { static_cast<void>(read_data(path, options)); });
    const std::string folder = folder_.path("");
    for (std::size_t at; (at = message.find(folder)) != message.npos;) {
      message.erase(at, folder.size());
    }
    return message;
  }
  TemporaryFolder folder_;
};

TEST(DetectFormat, TellsSvmlightFromTables) {
  for (const char* text : {"1 1:0.5 2:1\n",
                           "+1\n-1\n+1 3:1\n",
                           "# comment\n\n0 qid:1 1:0\n",
                           "1,4 3:0.5\n",
                           "spam 1:1 # a, b, c\n",
                           "3:1 4:1\n",
                           " 3:1\n",
                           "1 3:0.5 2:0.1\n",
                           "1 1:nan\n",
                           "1 99999999999999999999:1\n"}) {
    EXPECT_EQ(detected(text), DataFormat::svmlight) << text;
  }
  for (const char* text : {"a,b,c\n1,2,3\n",
                           "1\n2\n",
                           "5.1;3.5;setosa\n",
                           "2020-01-01 10:30,5,6\n",
                           "name,time\nx y,12:30\n",
                           "\"1 2:3\",4\n"}) {
    EXPECT_EQ(detected(text), DataFormat::csv) << text;
  }
  EXPECT_EQ(detected("a\tb\n1\t2\n"), DataFormat::tsv);
  EXPECT_EQ(detected("x\t12:30\t5\n"), DataFormat::tsv);
}

TEST(DetectFormat, KnowsArraysByTheirFirstBytes) {
  EXPECT_EQ(detected("\x93NUMPY and more"), DataFormat::npy);
  EXPECT_EQ(detected(std::string("\0\0\x08\x01\0\0\0\0", 8)), DataFormat::idx);
}

TEST(DetectFormat, RefusesWhatIsEmptyOrOtherwiseBinary) {
  const auto problem = [](const std::string& text) {
    return problem_of([&] { static_cast<void>(detected(text)); });
  };
  EXPECT_EQ(problem(""), "mem: is empty, expected data");
  EXPECT_EQ(
      problem(std::string("\x7f"
                          "ELF\2\1\1\0",
                          8)),
      "mem: binary data (\"\\x02\" at byte 4); expected svmlight, CSV, TSV, NPY, IDX or FASTA");
}

TEST_F(ReadData, TheBadFilesThatTheProjectPromisesToName) {
  EXPECT_EQ(problem(file("a", "1 3:0.5 2:0.1\n")),
            "a:1:9: the index 2 comes after 3, must increase");
  EXPECT_EQ(problem(file("a", "1 1:nan\n")),
            "a:1:5: expected a finite number after \"1:\", found \"nan\"");
  EXPECT_EQ(problem(file("a", "1 0:1\n")),
            "a:1:3: the index 0, must be >= 1 (or, with --zero-based, all count from 0)");
  EXPECT_EQ(problem(file("a", "1 99999999999999999999:1\n")),
            "a:1:3: the index \"99999999999999999999\" is too large, must be <= 2147483646");
  EXPECT_EQ(problem(file("a", "")), "a: is empty, expected data");
  EXPECT_EQ(problem(file("a", "# nothing\n"), {.format = DataFormat::svmlight}),
            "a: holds no examples");
  EXPECT_EQ(problem(file("a", std::string("\0\1\2\3\4", 5)), {.format = DataFormat::csv}),
            "a: binary data (\"\\x00\" at byte 0); expected a table");
  EXPECT_EQ(problem(file("a", std::string("1 1:1\n\0", 7)), {.format = DataFormat::svmlight}),
            "a: binary data (\"\\x00\" at byte 6); expected svmlight");
  EXPECT_EQ(problem(folder_.path("none")), "none: cannot open: No such file or directory");
  EXPECT_NE(problem(folder_.path(".")).find("is a directory"), std::string::npos);
}

TEST_F(ReadData, TruncatedGzipNamesTheFileAndTheByte) {
  std::string text;
  for (int k = 1; k < 5000; ++k) text += "1 " + std::to_string(k * k % 1000 + 1) + ":0.5\n";
  const std::string whole = file("a.gz", text);
  std::filesystem::resize_file(whole, std::filesystem::file_size(whole) / 2);
  EXPECT_EQ(problem(whole),
            "a.gz: at byte " + std::to_string(std::filesystem::file_size(whole)) +
                ": the gzip data ends early; is the file truncated?");
}

TEST_F(ReadData, EveryFormatGivesTheSameNumbers) {
  DenseMatrix values(3, 2);
  std::iota(values.values().begin(), values.values().end(), 1.0);
  Dataset data = {.examples = values};
  const Dataset unlabelled = data;
  data.labels = LabelColumn::from_numbers({1, 2, 1});
  for (const std::string compression : {"", ".gz", ".bz2", ".xz"}) {
    for (const std::string name : {"a.svm", "a.csv", "a.tsv"}) {
      const std::string path = folder_.path(name + compression);
      write_data(data, path);
      const Dataset back = read_data(path);
      EXPECT_TRUE(same_bits(back.examples.to_dense().values(), values.values())) << path;
      EXPECT_TRUE(same_bits(back.labels.numbers(), data.labels.numbers())) << path;
      EXPECT_EQ(back.source, path);
    }
    for (const std::string name : {"a.npy", "a.idx"}) {
      const std::string path = folder_.path(name + compression);
      write_data(unlabelled, path);
      const Dataset back =
          read_data(path, {.labels_file = file("labels", "1\n2\n1\n"), .context = {.threads = 1}});
      EXPECT_TRUE(same_bits(back.examples.to_dense().values(), values.values())) << path;
      EXPECT_TRUE(same_bits(back.labels.numbers(), data.labels.numbers())) << path;
      EXPECT_THROW(write_data(data, path), InvalidArgument);
    }
  }
}

TEST_F(ReadData, LabelsFileReplacesLabels) {
  const std::string data = file("a", "1 1:1\n2 1:2\n3 1:3\n");
  const Dataset lines =
      read_data(data, {.labels_file = file("l", "x\r\n?\n7\n\n"), .unlabeled = "7"});
  EXPECT_EQ(lines.labels.at(0), Label("x"));
  EXPECT_EQ(lines.labels.labelled_count(), 1u);
  OutputFile idx(folder_.path("labels.idx.gz"));
  write_idx({.shape = {3}, .values = DenseMatrix(3, 1, 4.0)}, idx);
  idx.commit();
  EXPECT_EQ(read_data(data, {.labels_file = folder_.path("labels.idx.gz")}).labels.at(2),
            Label(4.0));
  EXPECT_EQ(problem(data, {.labels_file = file("l", "x\ny\n")}),
            "l: holds 2 labels; the data in a has 3 rows");
  EXPECT_EQ(problem(data, {.labels_file = file("l", "x\n\ny\n")}),
            "l:2:1: expected a label (or ?)");
}

TEST_F(ReadData, LabelsFileMakesAllColumnsOfATableFeatures) {
  const std::string table = file("t.csv", "1,2,3\n4,5,6\n");
  EXPECT_EQ(read_data(table).features(), 2u);
  const Dataset data = read_data(table, {.labels_file = file("l", "a\nb\n")});
  EXPECT_EQ(data.features(), 3u);
  EXPECT_EQ(data.labels.at(1), Label("b"));
  EXPECT_THROW(static_cast<void>(read_data(table, {.label = "1", .labels_file = "l"})),
               InvalidArgument);
}

TEST_F(ReadData, WeightsComeFromAColumnOrAFile) {
  const std::string table = file("t.csv", "w,x,y\n0.5,2,3\n2,5,6\n");
  const std::vector<double> expected = {0.5, 2};
  for (const char* weight : {"w", "1"}) {
    const Dataset data = read_data(table, {.weight = weight});
    EXPECT_EQ(data.weights, expected);
    EXPECT_EQ(data.features(), 1u);
  }
  const std::string lines = file("weights", " 0.5\n2 \n");
  EXPECT_EQ(read_data(table, {.weight = lines}).weights, expected);
  const std::string data = file("a", "1 1:1\n2 1:2\n");
  EXPECT_EQ(read_data(data, {.weight = lines}).weights, expected);
  EXPECT_EQ(problem(data, {.weight = file("w", "1\n")}),
            "w: holds 1 weights; the data in a has 2 rows");
  EXPECT_EQ(problem(data, {.weight = file("w", "1\n -1\n")}),
            "w:2:2: expected a weight, a finite number >= 0, found \"-1\"");
}

TEST_F(ReadData, GroupSizesNumberTheRows) {
  const std::string data = file("a", "1 1:1\n2 1:2\n3 1:3\n");
  EXPECT_EQ(read_data(data, {.groups_file = file("g", "2\n1\n")}).groups,
            (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_EQ(problem(data, {.groups_file = file("g", "1\n1\n")}),
            "g: the group sizes add up to 2, the data has 3 rows");
  EXPECT_EQ(problem(data, {.groups_file = file("g", "2\n99999999999999\n")}),
            "g:2:1: the group sizes up to here exceed the 3 rows of the data");
  EXPECT_EQ(problem(data, {.groups_file = file("g", "0\n")}),
            "g:1:1: expected a group size, a whole number >= 1, found \"0\"");
}

TEST_F(ReadData, WholeGroupsAreAskedOfQidsButNotBesideAFileOfSizes) {
  const std::string data = file("a", "1 qid:1 1:1\n2 qid:2 1:2\n3 qid:1 1:3\n");
  EXPECT_EQ(read_data(data).groups.size(), 3u);
  EXPECT_EQ(problem(data, {.whole_groups = true}),
            "a:3:3: qid:1 comes back after another group; expected the rows of a group together");
  EXPECT_EQ(read_data(data, {.groups_file = file("g", "1\n1\n1\n"), .whole_groups = true}).groups,
            (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(ReadData, GroupSizesMustBeThoseOfTheQids) {
  const std::string data = file("a", "1 qid:4 1:1\n2 qid:4 1:2\n3 qid:7 1:3\n");
  EXPECT_EQ(read_data(data, {.groups_file = file("g", "2\n1\n")}).groups,
            (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_EQ(problem(data, {.groups_file = file("g", "1\n2\n")}),
            "g:1: a group that ends behind row 1 (from 1) of a, where qid:4 goes on; expected the "
            "groups of the data");
  EXPECT_EQ(problem(data, {.groups_file = file("g", "3\n")}),
            "g:1: a group that does not end behind row 2 (from 1) of a, where qid:4 does; expected "
            "the groups of the data");
  // One qid in all rows says nothing about groups.
  const std::string one = file("one", "1 qid:1 1:1\n2 qid:1 1:2\n3 qid:1 1:3\n");
  EXPECT_EQ(read_data(one, {.groups_file = file("g", "1\n2\n")}).groups,
            (std::vector<std::int64_t>{1, 2, 2}));
}

TEST_F(ReadData, GroupsHaveOneWeightWhereThatIsAskedFor) {
  const std::string rule =
      "another weight than in the row before; expected one for all rows of a group";
  const std::string even =
      file("a", "1 qid:1 cost:2 1:1\n2 qid:1 cost:2 1:2\n3 qid:2 cost:1 1:3\n");
  EXPECT_EQ(read_data(even, {.group_weights = true}).weights, (std::vector<double>{2, 2, 1}));
  const std::string uneven = file("b", "# two\n1 qid:1 cost:2 1:1\n2 qid:1 cost:1 1:2\n");
  EXPECT_EQ(problem(uneven, {.group_weights = true}), "b:3:9: " + rule);
  EXPECT_EQ(read_data(uneven).weights, (std::vector<double>{2, 1}));
  // Without groups all rows are one.
  EXPECT_EQ(problem(file("c", "1 cost:2 1:1\n2 cost:1 1:2\n"), {.group_weights = true}),
            "c:2:3: " + rule);
  const std::string bare = file("d", "1 1:1\n2 1:2\n3 1:3\n");
  const std::string sizes = file("g", "2\n1\n");
  EXPECT_EQ(
      problem(bare,
              {.weight = file("w", "2\n1\n1\n"), .groups_file = sizes, .group_weights = true}),
      "w:2: " + rule);
  EXPECT_EQ(
      read_data(bare,
                {.weight = file("w", "1\n1\n2\n"), .groups_file = sizes, .group_weights = true})
          .weights,
      (std::vector<double>{1, 1, 2}));
  // A file of weights stands for those of the data.
  EXPECT_EQ(read_data(uneven, {.weight = file("w", "1\n1\n"), .group_weights = true}).weights,
            (std::vector<double>{1, 1}));
  EXPECT_EQ(problem(file("t.csv", "x,w,y\n1,2,0\n2,1,1\n"), {.weight = "w", .group_weights = true}),
            "t.csv: row 2 (from 1): " + rule);
}

TEST_F(ReadData, LabelSetsWithoutAListAreAskedFor) {
  const std::string data = file("a", "1 1:1\n 1:2\n2 1:3\n");
  EXPECT_EQ(read_data(data, {.multi_label = true}).label_sets,
            (std::vector<std::vector<Label>>{{Label(1.0)}, {}, {Label(2.0)}}));
}

TEST_F(ReadData, LabeledRowsHideTheOtherLabelsAndKeepTheTruth) {
  const std::string data = file("a", "1 1:1\n2 1:2\n? 1:3\n1 1:4\n");
  const std::string rows = file("rows.txt", "0 3\n1, 0\t\n");
  const DataWithTruth first = read_data_with_truth(data, {.labeled_rows = rows});
  EXPECT_EQ(first.data.labels.at(0), Label(1.0));
  EXPECT_EQ(first.data.labels.at(3), Label(1.0));
  EXPECT_EQ(first.data.labels.labelled_count(), 2u);
  EXPECT_EQ(first.truth.labelled_count(), 3u);
  EXPECT_EQ(first.truth.at(1), Label(2.0));
  const Dataset second = read_data(data, {.labeled_rows = rows + ":2"});
  EXPECT_EQ(second.labels.at(1), Label(2.0));
  EXPECT_FALSE(second.labels.is_labelled(3));
  EXPECT_TRUE(read_data_with_truth(data).truth.empty());

  EXPECT_EQ(problem(data, {.labeled_rows = rows + ":3"}),
            "rows.txt: has 2 lines, expected row numbers on line 3");
  EXPECT_EQ(problem(data, {.labeled_rows = file("r", "0 4\n")}),
            "r:1:3: expected a row number from 0 to below 4, found \"4\"");
  EXPECT_EQ(problem(file("b", "1:1\n"), {.labeled_rows = rows}),
            "--labeled-rows rows.txt: b has no label column");
}

TEST_F(ReadData, OptionsThatDoNotFitTheFormatAreErrors) {
  const std::string data = file("a", "1 1:1\n");
  EXPECT_THROW(static_cast<void>(read_data(data, {.label = "1"})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(read_data(data, {.context = {.threads = 0}})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(read_data(file("t.csv", "1,2\n"), {.precomputed = true})),
               InvalidArgument);
}

TEST_F(ReadData, PassesTheRulesForLabelColumnsOn) {
  const std::string table = file("t.csv", "a,b\n1,2\n3,4\n");
  EXPECT_EQ(read_data(table, {.label = "a"}).labels.at(1), Label(3.0));
  EXPECT_FALSE(read_data(table, {.label = "none"}).has_labels());
  EXPECT_FALSE(read_data(table, {.model_features = 2}).has_labels());
  EXPECT_TRUE(read_data(table, {.model_features = 1}).has_labels());
  EXPECT_FALSE(
      read_data(table, {.label_default = CsvLabelDefault::features_if_numeric}).has_labels());
  EXPECT_EQ(read_data(file("s.csv", "1;2;u\n3;4;v\n"), {.unlabeled = "u"}).labels.at(1),
            Label("v"));
}

TEST(WriteData, FindsTheFormatInTheName) {
  EXPECT_EQ(format_of_name("x/a.csv.gz"), DataFormat::csv);
  EXPECT_EQ(format_of_name("a.tab"), DataFormat::tsv);
  EXPECT_EQ(format_of_name("a.npy.xz"), DataFormat::npy);
  EXPECT_EQ(format_of_name("train-images-idx3-ubyte.bz2"), DataFormat::idx);
  EXPECT_EQ(format_of_name("a.libsvm"), DataFormat::svmlight);
  EXPECT_EQ(format_of_name("a9a.t"), DataFormat::automatic);
  EXPECT_EQ(format_of_name("gz"), DataFormat::automatic);
}

/// What the table of the shared data says of each file: rows, the largest index, classes, and the
/// size of the first class in the order of Label (0: not given).
struct KnownFile {
  const char* name;
  std::size_t rows;
  std::size_t features;
  std::size_t classes;
  std::size_t first_class_size = 0;
};

void PrintTo(const KnownFile& file, std::ostream* out) { *out << file.name; }

class RealFile : public ::testing::TestWithParam<KnownFile> {};

TEST_P(RealFile, AgreesWithItsDescription) {
  const KnownFile& known = GetParam();
  const std::string path = std::string(MAXMARGIN_SOURCE_DIR "/../shared/data/libsvm/") + known.name;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no real data beside the source tree";
  const Dataset data = read_data(path);
  EXPECT_EQ(data.size(), known.rows);
  if (known.features > 0) {
    EXPECT_EQ(data.features(), known.features);
  }
  if (data.label_sets.empty()) {
    const Classes classes = classes_of(data.labels);
    EXPECT_EQ(classes.count(), known.classes);
    if (known.first_class_size > 0) {
      EXPECT_EQ(classes.sizes()[0], known.first_class_size);
    }
  } else {
    std::vector<Label> labels;
    for (const auto& set : data.label_sets) labels.insert(labels.end(), set.begin(), set.end());
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    EXPECT_EQ(labels.size(), known.classes);
  }
}

INSTANTIATE_TEST_SUITE_P(
    SharedData,
    RealFile,
    ::testing::Values(KnownFile{"heart_scale", 270, 13, 2, 150},
                      KnownFile{"a1a", 1605, 119, 2},
                      KnownFile{"a1a.t.gz", 30956, 123, 2},
                      KnownFile{"a9a.gz", 32561, 123, 2, 32561 - 7841},
                      KnownFile{"a9a.t.gz", 16281, 122, 2, 16281 - 3846},
                      KnownFile{"w1a", 2477, 300, 2, 2477 - 72},
                      KnownFile{"ijcnn1.trn.bz2", 49990, 22, 2},
                      KnownFile{"reuters.trn.bz2", 7770, 0, 2, 7770 - 538},
                      KnownFile{"reuters.tst.bz2", 3299, 0, 2, 3299 - 179},
                      KnownFile{"agaricus.txt.train.gz", 6513, 126, 2},
                      KnownFile{"german_scale.txt", 1000, 24, 2, 700},
                      KnownFile{"fourclass_scale", 862, 2, 2},
                      KnownFile{"australian.txt", 690, 14, 2, 383},  // no final line end
                      KnownFile{"breast-cancer", 683, 10, 2, 444},
                      KnownFile{"svmguide1.gz", 3089, 4, 2, 1089},  // CR LF line ends
                      KnownFile{"svmguide1.t.gz", 4000, 4, 2, 2000},
                      KnownFile{"svmguide2.txt.gz", 391, 20, 3},
                      KnownFile{"letter.scale.gz", 15000, 16, 26},
                      KnownFile{"pendigits.gz", 7494, 16, 10},
                      KnownFile{"satimage.scale.gz", 4435, 36, 6},
                      KnownFile{"segment.scale.gz", 2310, 19, 7, 330},
                      KnownFile{"vehicle.scale.gz", 846, 18, 4},
                      KnownFile{"7class_example4_train.light", 300, 0, 7},
                      KnownFile{"7class_example4_test.light.gz", 2000, 0, 7},
                      KnownFile{"yeast_train.svm.gz", 1500, 103, 14},
                      KnownFile{"yeast_test.svm.gz", 917, 103, 14}));

TEST(RealFiles, SplitsOfTheSemiSupervisedBenchmarkKeepTenLabels) {
  const std::string folder = MAXMARGIN_SOURCE_DIR "/../shared/data/ssl/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no real data beside the source tree";
  const DataWithTruth digit1 = read_data_with_truth(
      folder + "digit1.svm.gz", {.labeled_rows = folder + "digit1.labeled10.txt:12"});
  EXPECT_EQ(digit1.data.size(), 1500u);
  EXPECT_EQ(digit1.data.labels.labelled_count(), 10u);
  EXPECT_EQ(digit1.truth.labelled_count(), 1500u);
}

TEST_F(ReadData, ATableWithoutFeatureColumnsIsRefused) {
  EXPECT_EQ(problem(file("blanks", "1.0 2.0 3\n2.0 3.0 4\n")),
            "blanks:1: the table has no feature column, found labels alone; is the delimiter a "
            "blank?");
  EXPECT_NE(problem(file("two.csv", "a,b\n1,2\n"), {.label = "a", .weight = "b"})
                .find("labels and weights alone"),
            std::string::npos);
  EXPECT_EQ(read_data(file("one.csv", "a\n1\n2\n"), {.label = "none"}).features(), 1u);
}

TEST_F(ReadData, TheCallerMaySayWhetherATableHasAHeader) {
  const std::string path = file("t.csv", "0,1,y\n5,6,y\n");
  EXPECT_EQ(read_data(path).size(), 2u);
  EXPECT_EQ(read_data(path, {.header = true}).size(), 1u);
  EXPECT_EQ(problem(file("t.svm", "1 1:2\n"), {.header = true}),
            "--header: is for CSV and TSV files, which t.svm is not");
  EXPECT_NE(problem("builtin:iris", {.header = false}), "no error");
}

TEST(ReadOptions, AreTheOptionsOfATable) {
  std::vector<std::string> names;
  for (const OptionDescription& option : describe_options(ReadOptions{})) {
    names.push_back(option.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"format",
                                      "label",
                                      "header",
                                      "strings",
                                      "zero-based",
                                      "labels",
                                      "weight",
                                      "groups",
                                      "unlabeled",
                                      "labeled-rows"}));
  EXPECT_EQ(option_values(ReadOptions{}), (OptionScalars{{"zero_based", false}}));
  ReadOptions options;
  set_options(options, {{"format", "npy"}, {"header", "no"}, {"labels", "y.txt"}}, "this test");
  EXPECT_EQ(options.format, DataFormat::npy);
  EXPECT_EQ(options.header, false);
  EXPECT_EQ(options.labels_file, "y.txt");
  const OptionScalars expected = {{"format", std::string("npy")},
                                  {"header", std::string("no")},
                                  {"zero_based", false},
                                  {"labels", std::string("y.txt")}};
  EXPECT_EQ(option_values(options), expected);
  const auto refusal_of = [](const OptionTexts& given) {
    ReadOptions read;
    return problem_of([&] {
      set_options(read, given, "this test");
      validate(read);
    });
  };
  EXPECT_EQ(refusal_of({{"label", "1"}, {"labels", "y.txt"}}),
            "--label and --labels exclude each other");
  EXPECT_EQ(refusal_of({{"label", "none"}, {"labels", "y.txt"}}), "no error");
  EXPECT_EQ(refusal_of({{"header", "maybe"}}),
            "--header maybe: must be a known name; known: yes, no");
}

}  // namespace
}  // namespace maxmargin
