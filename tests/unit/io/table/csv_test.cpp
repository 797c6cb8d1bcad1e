// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <clocale>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

using Names = std::vector<std::string>;

Dataset read_text(const std::string& text, const CsvOptions& options = {}) {
  Input input = Input::from_memory("t.csv", text);
  return read_csv(input, options);
}

std::string problem_in(const std::string& text, const CsvOptions& options = {}) {
  return problem_of<ParseError>([&] { return read_text(text, options); });
}

/// Labels as text, "?" where there are none.
Names labels_of(const Dataset& data) {
  Names labels;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const std::optional<Label> label = data.labels.at(i);
    labels.push_back(label ? label->text() : "?");
  }
  return labels;
}

std::vector<double> values_of(const Dataset& data) {
  const DenseMatrix rows = data.examples.to_dense();
  const auto values = rows.values();
  return {values.begin(), values.end()};
}

void expect_equal(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.features(), b.features());
  // Bits, so that -0 is not 0.
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_TRUE(std::ranges::equal(
      a.examples.to_dense().values(), b.examples.to_dense().values(), {}, bits, bits));
  EXPECT_EQ(labels_of(a), labels_of(b));
  EXPECT_EQ(a.labels.all_numbers(), b.labels.all_numbers());
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.feature_names, b.feature_names);
}

TEST(Csv, ReadsATableWithHeaderAndLabels) {
  const Dataset data = read_text("a,b,species\n1,2.5,x\n-3,4e2,y\n");
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(values_of(data), (std::vector<double>{1, 2.5, -3, 400}));
  EXPECT_EQ(labels_of(data), (Names{"x", "y"}));
  EXPECT_EQ(data.source, "t.csv");
  data.validate();
}

TEST(Csv, AllFormsOfTheSameTableAreTheSameData) {
  const Dataset plain = read_text("a,b,y\n1,2,p\n3,4,q\n");
  for (const std::string text : {"a,b,y\r\n1,2,p\r\n3,4,q\r\n",
                                 "\xef\xbb\xbf"
                                 "a,b,y\n1,2,p\n3,4,q\n",
                                 "a,b,y\n1,2,p\n3,4,q",
                                 "\n \na,b,y\n\n1,2,p\n\t\r\n3,4,q\n\n\n  ",
                                 "\"a\",\"b\",\"y\"\n\"1\",\"2\",\"p\"\n\"3\",\"4\",\"q\"\n",
                                 " a , b , y\n 1 ,\t2, p \n +3 , 4.0 , \"q\" \n"}) {
    expect_equal(read_text(text), plain);
  }
  expect_equal(read_text("a\tb\ty\n1\t2\tp\n3\t 4 \tq\n", {.delimiter = '\t'}), plain);
  expect_equal(read_text("a;b;y\n1;2;p\n3;4;q\n", {.delimiter = ';'}), plain);
  expect_equal(read_text("a b y\n1 2 p\n3 4 q\n", {.delimiter = ' '}), plain);
}

TEST(Csv, QuotedCellsHoldDelimitersQuotesAndLineEnds) {
  const Dataset data =
      read_text("\"x,1\",\"say \"\"hi\"\"\",y\n1,2,\"a,\r\n\"\"b\"\"\"\n3,4,\"\"\"\"\n");
  EXPECT_EQ(data.feature_names, (Names{"x,1", "say \"hi\""}));
  EXPECT_EQ(labels_of(data), (Names{"a,\r\n\"b\"", "\""}));
}

TEST(Csv, TheLabelColumnIsFoundByItsName) {
  EXPECT_EQ(labels_of(read_text("class,a,b\nu,1,2\nv,3,4\n")), (Names{"u", "v"}));
  EXPECT_EQ(labels_of(read_text("a,Target,b\n1,u,2\n")), (Names{"u"}));
  EXPECT_EQ(labels_of(read_text("y,label,b\n1,u,2\n")), (Names{"u"}));  // the last of them
  // Numeric names do not hide that this is a header.
  EXPECT_EQ(read_text("0,1,label\n5,6,7\n").feature_names, (Names{"0", "1"}));
  EXPECT_EQ(labels_of(read_text("a,b,c\n1,u,2\n", {.label = "b"})), (Names{"u"}));
  EXPECT_EQ(labels_of(read_text("a,b,b\n1,2,u\n", {.label = "b"})), (Names{"u"}));
}

TEST(Csv, TheLabelColumnMayBeGivenByNumber) {
  EXPECT_EQ(labels_of(read_text("u,1,2\nv,3,4\n", {.label = "1"})), (Names{"u", "v"}));
  EXPECT_EQ(labels_of(read_text("y,a,b\n9,1,2\n", {.label = "2"})), (Names{"1"}));
}

TEST(Csv, WithoutALabelNameTheLastColumnHoldsTheLabels) {
  const Dataset data = read_text("1,2,+1\n3,4,-1.0\n");
  EXPECT_EQ(data.features(), 2u);
  EXPECT_TRUE(data.feature_names.empty());
  EXPECT_TRUE(data.labels.all_numbers());
  EXPECT_EQ(labels_of(data), (Names{"1", "-1"}));
}

TEST(Csv, LabelNoneMakesEveryColumnAFeature) {
  const Dataset data = read_text("a,b,y\n1,2,3\n", {.label = "none"});
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.feature_names, (Names{"a", "b", "y"}));
}

TEST(Csv, ForClusteringANumericTableWithHeaderIsAllFeatures) {
  const CsvOptions cluster{.label_default = CsvLabelDefault::features_if_numeric};
  EXPECT_EQ(read_text("a,b,c\n1,2,3\n4,5,6\n", cluster).features(), 3u);
  EXPECT_FALSE(read_text("a,b,c\n1,2,3\n4,5,6\n", cluster).has_labels());
  // a label name, no header, or a last column that is not all numbers
  EXPECT_EQ(read_text("a,b,y\n1,2,3\n4,5,6\n", cluster).features(), 2u);
  EXPECT_EQ(read_text("1,2,3\n4,5,6\n", cluster).features(), 2u);
  EXPECT_EQ(labels_of(read_text("a,b,c\n1,2,3\n4,5,u\n", cluster)), (Names{"3", "u"}));
  EXPECT_EQ(labels_of(read_text("a,b,c\n1,2,3\n4,5,?\n", cluster)), (Names{"3", "?"}));
  EXPECT_EQ(read_text("a\n1\n2\n", cluster).features(), 1u);
  // A number that is no feature value is still an error, not a label.
  EXPECT_NE(problem_in("a,b,c\n1,2,3\n4,5,nan\n", cluster), "");
}

TEST(Csv, ForPredictionATableOfTheModelsWidthHasNoLabels) {
  const CsvOptions predict{.model_features = 3};
  EXPECT_EQ(read_text("1,2,3\n", predict).features(), 3u);
  EXPECT_FALSE(read_text("a,b,y\n1,2,3\n", predict).has_labels());
  EXPECT_EQ(labels_of(read_text("1,2,3,u\n", predict)), (Names{"u"}));
  const CsvOptions weighted{.model_features = 2, .weight = "3"};
  EXPECT_EQ(read_text("1,2,3\n", weighted).features(), 2u);
  EXPECT_FALSE(read_text("1,2,3\n", weighted).has_labels());
}

TEST(Csv, ReadsWeights) {
  const Dataset data = read_text("a,w,y\n1,0.5,p\n2,0,q\n", {.weight = "w"});
  EXPECT_EQ(data.weights, (std::vector<double>{0.5, 0}));
  EXPECT_EQ(data.feature_names, Names{"a"});
  EXPECT_EQ(labels_of(data), (Names{"p", "q"}));
  // The last column that is not the weight holds the labels.
  EXPECT_EQ(labels_of(read_text("1,u,2\n", {.weight = "3"})), Names{"u"});
  EXPECT_EQ(problem_in("a,w,y\n1,-0.5,p\n", {.weight = "w"}),
            "t.csv:2:3: the weight in column 2 (\"w\") is \"-0.5\", must be a finite number >= 0");
  EXPECT_NE(problem_in("a,w,y\n1,?,p\n", {.weight = "w"}), "");
  EXPECT_NE(problem_in("a,b\n1,2\n", {.label = "b", .weight = "2"}), "");
}

TEST(Csv, UnlabelledRowsAreQuestionMarksAndEmptyCells) {
  EXPECT_EQ(labels_of(read_text("1,?\n2,\n3,0\n4,\"\"\n5,a\n")), (Names{"?", "?", "0", "?", "a"}));
  EXPECT_EQ(labels_of(read_text("1,?\n2,0.0\n3,1\n", {.unlabeled = "0"})), (Names{"?", "?", "1"}));
  EXPECT_EQ(labels_of(read_text("1,na\n3,1\n", {.unlabeled = "na"})), (Names{"?", "1"}));
  EXPECT_EQ(labels_of(read_text("1,NaN\n2,nan\n3,NULL\n4,null\n5,NA\n6,N/A\n7,<NA>\n8,Na\n")),
            (Names{"?", "?", "?", "?", "?", "?", "?", "Na"}));
}

TEST(Csv, TheFirstRowIsAHeaderWhenNoFeatureInItIsANumber) {
  EXPECT_EQ(read_text("a,b,c\n1,2,3\n").size(), 1u);
  EXPECT_EQ(read_text("1,2,c\n1,2,3\n").size(), 2u);
  EXPECT_EQ(read_text(",b,c\n1,2,3\n").feature_names, (Names{"", "b"}));
  EXPECT_EQ(read_text("a,a,c\n1,2,3\n").feature_names, (Names{"a", "a"}));
  // A row that is part numbers and part text is data with an error, not a header: a row would be
  // lost in silence.
  const std::string mixed = problem_in("1,2x,c\n1,2,3\n");
  EXPECT_EQ(mixed.substr(0, 10), "t.csv:1:3:") << mixed;
  EXPECT_NE(mixed.find("header"), std::string::npos) << mixed;
  EXPECT_NE(problem_in("?,?,c\n1,2,3\n"), "");
  EXPECT_EQ(read_text("1,2,3\n4,5,6\n", {.header = true}).feature_names, (Names{"1", "2"}));
  EXPECT_EQ(labels_of(read_text("setosa\nvirginica\n")), (Names{"setosa", "virginica"}));
  EXPECT_NE(problem_in("a,b,c\n1,2,3\n", {.header = false}), "");
}

TEST(Csv, YBesideNumbersIsALabelAndNotAHeader) {
  const Dataset data = read_text("1.5,2.5,y\n2.5,1.5,n\n3,4,y\n");
  EXPECT_EQ(labels_of(data), (Names{"y", "n", "y"}));
  EXPECT_EQ(values_of(data), (std::vector<double>{1.5, 2.5, 2.5, 1.5, 3, 4}));
  EXPECT_EQ(labels_of(read_text("1,Y\n2,N\n")), (Names{"Y", "N"}));
  // Without a number beside it, y names the label column wherever it stands.
  EXPECT_EQ(labels_of(read_text("Y,b\n7,2\n")), (Names{"7"}));
  EXPECT_EQ(read_text("0,1,y\n5,6,7\n", {.header = true}).feature_names, (Names{"0", "1"}));
  EXPECT_EQ(labels_of(read_text("1,2,label\n5,6,7\n", {.header = false})), (Names{"label", "7"}));
}

TEST(Csv, AHeaderAloneIsATableWithoutRows) {
  const Dataset data = read_text("a,b,y\n");
  EXPECT_EQ(data.size(), 0u);
  EXPECT_EQ(data.features(), 2u);
}

TEST(Csv, BadFeaturesAreNamedWithLineColumnAndRule) {
  EXPECT_EQ(problem_in("a,bb,y\n1,2,3\n4, ?,6\n"),
            "t.csv:3:4: the feature in column 2 (\"bb\") is \"?\", must be a finite number");
  for (const std::string cell : {"",
                                 "?",
                                 "x",
                                 "1x",
                                 "nan",
                                 "inf",
                                 "-Infinity",
                                 "1e999",
                                 "1 2",
                                 "0x10",
                                 "\"\"",
                                 "\"1",
                                 "1\"",
                                 "--1",
                                 "1e",
                                 "1_000"}) {
    const std::string problem = problem_in("1,2,u\n3," + cell + ",v\n");
    EXPECT_EQ(problem.substr(0, 8), "t.csv:2:") << cell << " -> " << problem;
  }
  // Places after a quoted line end count the lines of the file.
  EXPECT_EQ(problem_in("\"u\nv\",1\nw,x\n", {.label = "1"}).substr(0, 10), "t.csv:3:3:");
}

TEST(Csv, RaggedRowsAreRefused) {
  EXPECT_EQ(problem_in("1,2,3\n4,5\n"), "t.csv:2:1: expected 3 cells as in the first row, found 2");
  EXPECT_EQ(problem_in("1,2,3\n4,5,6,7,8\n"),
            "t.csv:2:1: expected 3 cells as in the first row, found 5");
  EXPECT_NE(problem_in("1,2,3\n4,5,6,\n"), "");
}

TEST(Csv, WrongQuotesAreRefused) {
  EXPECT_EQ(problem_in("1,a\n2,\"b\n3,c\n").substr(0, 10), "t.csv:2:3:");
  EXPECT_EQ(problem_in("1,a\n2,b\"c\n").substr(0, 10), "t.csv:2:4:");
  EXPECT_EQ(problem_in("1,a\n2,\"b\"c\n").substr(0, 10), "t.csv:2:6:");
  EXPECT_EQ(problem_in("1,a\r2,b\n").substr(0, 10), "t.csv:1:4:");
}

TEST(Csv, BinaryAndEmptyFilesAreRefused) {
  EXPECT_EQ(problem_in(std::string("1,2\n3,\0\n", 8)),
            "t.csv:2:3: a zero byte: this is a binary file, expected a table of text");
  EXPECT_EQ(problem_in(std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)).substr(0, 6), "t.csv:");
  for (const std::string text : {"", "\n\n", "  \r\n", "\xef\xbb\xbf"}) {
    EXPECT_EQ(problem_in(text), "t.csv:1:1: the table is empty");
  }
}

TEST(Csv, AColumnThatIsNotThereIsAnErrorThatListsTheNames) {
  EXPECT_EQ(problem_in("a,b\n1,2\n", {.label = "species"}),
            "t.csv:1:1: no column is named \"species\"; the names are \"a\", \"b\"");
  EXPECT_NE(problem_in("a,b\n1,2\n", {.label = "3"}).find("1 to 2"), std::string::npos);
  EXPECT_NE(problem_in("a,b\n1,2\n", {.label = "0"}), "");
  EXPECT_NE(problem_in("a,b\n1,2\n", {.weight = "w"}), "");
  EXPECT_NE(problem_in("1,2\n", {.label = "a", .header = false}).find("no header"),
            std::string::npos);
}

TEST(Csv, OptionsAreChecked) {
  for (const char delimiter :
       {'a', '0', '"', '\n', '\r', '\0', '.', '-', '+', '?', '\x7f', '\xe4'}) {
    EXPECT_THROW(static_cast<void>(read_text("1,2\n", {.delimiter = delimiter})), InvalidArgument);
  }
  EXPECT_THROW(static_cast<void>(read_text("1,2\n", {.context = {.threads = 0}})), InvalidArgument);
}

TEST(Csv, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, locale);
  const Dataset data = read_text("1.5,2\n");
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(data.examples.dense()(0, 0), 1.5);
}

/// A table of several blocks: numbers, text labels that hold quotes and line ends, blank lines.
std::string large_table(std::size_t rows) {
  Rng rng(11, "csv-test");
  std::string text = "a,b,\"c\nd\",y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    for (int j = 0; j < 3; ++j) text += format_number(rng.normal()) + ",";
    const std::size_t kind = rng.index(6);
    if (kind == 0) text += "\"two\n\"\"lines\"\", and a comma\"";
    if (kind == 1) text += "\"\n\n\n\"";
    if (kind > 1) text += "label " + std::to_string(kind);
    text += rng.bernoulli(0.1) ? "\r\n\n" : "\n";
  }
  return text;
}

TEST(Csv, IsTheSameForAnyThreadCount) {
  const std::string text = large_table(40'000);
  ASSERT_GT(text.size(), std::size_t{2} << 20);  // more than two blocks
  const Dataset one = read_text(text, {.context = {.threads = 1}});
  EXPECT_EQ(one.size(), 40'000u);
  for (const std::size_t threads : {2u, 4u})
    expect_equal(read_text(text, {.context = {.threads = threads}}), one);
  // Blocks agree with reading the rows without blocks: each row by itself.
  const Dataset again = read_text(written_bytes([&](OutputFile& file) { write_csv(one, file); }));
  expect_equal(again, one);
}

TEST(Csv, ReportsTheSameFirstErrorForAnyThreadCount) {
  const std::string good = large_table(40'000);
  for (const std::string bad : {"1,2,x,y\n", "1,2,3\n", "1,2,3,a\"b\n", "1,2,3,\"a\"b\n"}) {
    // Bad rows near the end of the first block, in the second and last.
    std::string text = good;
    for (std::size_t at : {std::size_t{1} << 20, std::size_t{1'000'000}}) {
      at = text.find("label 2\n", at) + 8;
      text.insert(at, bad);
    }
    text += bad;
    const std::size_t first = text.find(bad);
    const auto line = static_cast<std::size_t>(std::count(
                          text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n')) +
                      1;
    const std::string one = problem_in(text, {.context = {.threads = 1}});
    EXPECT_EQ(one.find("t.csv:" + std::to_string(line) + ":"), 0u) << one;
    EXPECT_EQ(problem_in(text, {.context = {.threads = 2}}), one);
    EXPECT_EQ(problem_in(text, {.context = {.threads = 4}}), one);
  }
}

TEST(Csv, ACellLongerThanABlockIsReadWhole) {
  std::string label(3'000'000, 'z');
  for (std::size_t k = 0; k < label.size(); k += 1000) label[k] = '\n';
  const std::string text = "1,a\n2,\"" + label + "\"\n3,b\n";
  EXPECT_EQ(labels_of(read_text(text)), (Names{"a", label, "b"}));
  const std::string name(2'500'000, 'n');
  const Dataset data = read_text(name + ",y\n1,2\n");
  EXPECT_EQ(data.size(), 1u);
  EXPECT_EQ(data.feature_names[0].size(), name.size());
}

Dataset random_data(Rng& rng, std::size_t rows, std::size_t cols) {
  const Names tricky = {"plain",
                        "with,comma",
                        "with\ttab",
                        " space ",
                        "q\"uote",
                        "line\r\nend",
                        "BZh91AY",
                        "\xef\xbb\xbfmark",
                        "inf",
                        "\xc3\xa9t\xc3\xa9",
                        "#",
                        "\"\""};
  Dataset data;
  DenseMatrix matrix(rows, cols);
  for (double& value : matrix.values()) {
    do {
      value = std::bit_cast<double>(rng.bits());
    } while (!std::isfinite(value));
  }
  data.examples = std::move(matrix);
  for (std::size_t j = 0; j < cols; ++j) {
    data.feature_names.push_back(rng.bernoulli(0.3) ? "" : tricky[rng.index(tricky.size())]);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t kind = rng.index(3);
    if (kind == 0) data.labels.push_back_unlabelled();
    if (kind == 1) data.labels.push_back_number(rng.normal());
    if (kind == 2) data.labels.push_back(Label(tricky[rng.index(tricky.size())]));
    data.weights.push_back(rng.uniform());
  }
  return data;
}

TEST(Csv, WritesWhatItReads) {
  Rng rng(12, "csv-test");
  for (const char delimiter : {',', '\t', ';', ' ', '|'}) {
    for (std::size_t cols = 0; cols < 4; ++cols) {
      const Dataset data = random_data(rng, 20, cols);
      const std::string text =
          written_bytes([&](OutputFile& file) { write_csv(data, file, delimiter); });
      expect_equal(read_text(text, {.delimiter = delimiter, .weight = "weight"}), data);
    }
  }
}

TEST(Csv, WritesSparseDataAndDataWithoutNames) {
  Dataset data;
  DenseMatrix matrix(2, 3);
  matrix(0, 1) = 0.5;
  matrix(1, 2) = -1;
  data.examples = to_sparse(matrix.view());
  const std::string text = written_bytes([&](OutputFile& file) { write_csv(data, file); });
  EXPECT_EQ(text, "x1,x2,x3\n0,0.5,0\n0,0,-1\n");
  EXPECT_EQ(values_of(read_text(text, {.label = "none"})),
            (std::vector<double>{0, 0.5, 0, 0, 0, -1}));
}

TEST(Csv, RefusesToWriteWhatATableCannotHold) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("a.csv"));
  const auto refused = [&](const Dataset& data) {
    EXPECT_THROW(write_csv(data, file), InvalidArgument);
  };
  const DenseMatrix one(1, 1, 1.0);
  refused({});
  refused({.examples = DenseMatrix(2, 0)});
  refused({.examples = DenseMatrix(1, 1, std::nan(""))});
  refused({.examples = one, .groups = {1}});
  refused({.examples = one, .label_sets = {{Label(1.0)}}});
  refused({.examples = one, .feature_names = {std::string("a\0b", 3)}});
  for (const std::string text : {"", "?", "1", "+2e3"}) {
    const std::vector<Label> labels = {Label(text)};
    refused({.examples = one, .labels = LabelColumn::from_labels(labels)});
  }
  EXPECT_THROW(write_csv({.examples = one}, file, 'x'), InvalidArgument);
}

TEST(Csv, NothingIsWrittenWhenALabelCannotBe) {
  Dataset data = {.examples = DenseMatrix(200'000, 1, 0.25)};
  for (std::size_t row = 0; row + 1 < data.size(); ++row) data.labels.push_back(Label(1.0));
  data.labels.push_back(Label("?"));
  const TemporaryFolder folder;
  OutputFile file(folder.path("out"));
  EXPECT_THROW(write_csv(data, file), InvalidArgument);
  file.commit();
  EXPECT_EQ(Input::open(folder.path("out")).read_all(), "");
}

TEST(Csv, WritesSparseRowsWithoutTheirDenseForm) {
  // A wide row in several pieces, with entries in the first and the last column.
  const std::size_t cols = 600'000;
  Dataset data = {.examples =
                      SparseMatrix(cols,
                                   Buffer<std::int64_t>(std::vector<std::int64_t>{0, 2, 2}),
                                   Buffer<std::int32_t>(std::vector<std::int32_t>{0, 599'999}),
                                   Buffer<double>(std::vector<double>{2, 3}))};
  const std::string text = written_bytes([&](OutputFile& file) { write_csv(data, file); });
  std::string expected;
  for (std::size_t j = 1; j <= cols; ++j) expected += (j > 1 ? ",x" : "x") + std::to_string(j);
  expected += "\n2";
  for (std::size_t j = 1; j < cols; ++j) expected += j + 1 < cols ? ",0" : ",3";
  expected += "\n0";
  for (std::size_t j = 1; j < cols; ++j) expected += ",0";
  EXPECT_TRUE(text == expected + "\n");
}

TEST(Csv, RefusesToWriteSparseDataThatNoMachineHoldsAsATable) {
  // Two thousand million columns claimed by one entry, a thousand rows: 17 TB as a table.
  Buffer<std::int64_t> offsets(1001, 1);
  offsets[0] = 0;
  const Dataset data = {.examples = SparseMatrix(2147483646,
                                                 std::move(offsets),
                                                 Buffer<std::int32_t>(1, 2147483645),
                                                 Buffer<double>(1, 1.0))};
  const TemporaryFolder folder;
  OutputFile file(folder.path("a.csv"));
  EXPECT_THROW(write_csv(data, file), InvalidArgument);
  EXPECT_THROW(static_cast<void>(data.examples.to_dense()), InvalidArgument);
}

TEST(Csv, RowsOfALaterWaveOfBlocksComeAfterThoseOfTheFirst) {
  // Blank lines are quick to skip and fill the 64 blocks of a mebibyte that are parsed at a time.
  const std::string gap(std::size_t{66} << 20, '\n');
  const Dataset data = read_text("a,y\n1,p\n" + gap + "2,q\n\n3,p\n");
  EXPECT_EQ(values_of(data), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(labels_of(data), (Names{"p", "q", "p"}));
}

}  // namespace
}  // namespace maxmargin
