// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/model_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string bytes_of(const ModelDocument& model, ModelFormat format) {
  return written_bytes([&](OutputFile& file) { write_model(model, file, format); });
}

ModelDocument read_bytes(const std::string& bytes) {
  Input input = Input::from_memory("m", bytes);
  return read_model(input);
}

std::string problem_in(const std::string& bytes) {
  return problem_of<ModelFormatError>([&] { return read_bytes(bytes); });
}

/// FNV-1a written a second time, from its published definition.
std::uint64_t reference_checksum(const std::string& bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 1099511628211u;
  }
  return hash;
}

/// A text model of the given body lines with a checksum that fits.
std::string sealed_text(const std::string& body) {
  const std::string text = "maxmargin-model 2\nlearner svc\n" + body;
  char line[64];
  std::snprintf(line,
                sizeof line,
                "checksum fnv1a64 %016llx\n",
                static_cast<unsigned long long>(reference_checksum(text)));
  return text + line;
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>((value >> (8 * i)) & 255));
  return text;
}

const std::string binary_start = std::string("\x8fMMD\r\n\x1a\n") + little_endian(1, 4);

/// A binary model of the given bytes after the version with a checksum that fits.
std::string sealed_binary(const std::string& body) {
  return binary_start + body + little_endian(reference_checksum(binary_start + body), 8);
}

SparseMatrix sample_sparse() {
  Buffer<std::int64_t> offsets(0, 0);
  for (const std::int64_t offset : {0, 2, 2, 3}) offsets.push_back(offset);
  Buffer<std::int32_t> columns(0, 0);
  for (const std::int32_t column : {0, 6, 3}) columns.push_back(column);
  Buffer<double> values(0, 0.0);
  for (const double value : {0.5, -2.0, 1e-300}) values.push_back(value);
  return {7, std::move(offsets), std::move(columns), std::move(values)};
}

ModelDocument sample_model() {
  ModelDocument model("svc");
  model.set_string("kernel", "rbf");
  model.set_integer("seed", -7);
  model.set_number("gamma", 0.1);
  model.set_number("gap", infinity);
  model.set_boolean("centred", true);
  model.set_labels("classes", {Label(-1.0), Label(2.5), Label("1"), Label("iris setosa")});
  model.set_strings("feature-names", {"", " a b ", "quote\" back\\slash", "line\nend\r\t\x01\x7f"});
  model.set_numbers("bias", {0.1, -0.0, 5e-324, 1.7976931348623157e308, std::nan("")});
  DenseMatrix dense(2, 3);
  for (std::size_t k = 0; k < 6; ++k) dense.values()[k] = static_cast<double>(k) / 3;
  model.set_dense("vectors", std::move(dense));
  model.set_sparse("sparse.vectors", sample_sparse());
  model.set_strings("empty", {});
  model.set_dense("no-rows", DenseMatrix(0, 5));
  model.set_sparse("nothing", SparseMatrix());
  return model;
}

void expect_sample(const ModelDocument& model) {
  EXPECT_EQ(model.learner(), "svc");
  EXPECT_EQ(model.fields().size(), 5u);
  EXPECT_EQ(model.sections().size(), 8u);
  EXPECT_EQ(model.fields()[4].name, "centred");
  EXPECT_EQ(model.sections()[7].name, "nothing");
  EXPECT_EQ(model.string("kernel"), "rbf");
  EXPECT_EQ(model.integer("seed"), -7);
  EXPECT_EQ(model.number("gamma"), 0.1);
  EXPECT_EQ(model.number("gap"), infinity);
  EXPECT_TRUE(model.boolean("centred"));
  EXPECT_EQ(model.labels("classes"),
            (std::vector<Label>{Label(-1.0), Label(2.5), Label("1"), Label("iris setosa")}));
  EXPECT_EQ(model.strings("feature-names")[1], " a b ");
  EXPECT_EQ(model.strings("feature-names")[3], "line\nend\r\t\x01\x7f");
  const std::vector<double>& bias = model.numbers("bias");
  ASSERT_EQ(bias.size(), 5u);
  EXPECT_TRUE(std::signbit(bias[1]));
  EXPECT_EQ(bias[2], 5e-324);
  EXPECT_TRUE(std::isnan(bias[4]));
  EXPECT_EQ(model.dense("vectors")(1, 2), 5.0 / 3);
  const SparseMatrix& sparse = model.sparse("sparse.vectors");
  EXPECT_EQ(sparse.rows(), 3u);
  EXPECT_EQ(sparse.cols(), 7u);
  EXPECT_EQ(sparse.row(0).columns[1], 6);
  EXPECT_EQ(sparse.row(2).values[0], 1e-300);
  EXPECT_EQ(model.dense("no-rows").cols(), 5u);
  EXPECT_TRUE(model.strings("empty").empty());
  EXPECT_EQ(model.sparse("nothing").rows(), 0u);
}

TEST(ModelFile, TextReadsBackAsWritten) {
  expect_sample(read_bytes(bytes_of(sample_model(), ModelFormat::text)));
}

TEST(ModelFile, BinaryReadsBackAsWritten) {
  expect_sample(read_bytes(bytes_of(sample_model(), ModelFormat::binary)));
}

TEST(ModelFile, TextAndBinaryAreTheSameDocument) {
  const ModelDocument model = sample_model();
  const std::string text = bytes_of(model, ModelFormat::text);
  const std::string binary = bytes_of(model, ModelFormat::binary);
  EXPECT_EQ(bytes_of(read_bytes(binary), ModelFormat::text), text);
  EXPECT_EQ(bytes_of(read_bytes(text), ModelFormat::binary), binary);
}

TEST(ModelFile, HoldsRandomNumbersExactly) {
  Rng rng(1, "model-file-test");
  DenseMatrix matrix(300, 7);
  // All bit patterns of a double but NaN: the shortest text must still read back as the same bits.
  for (double& value : matrix.values()) {
    do {
      value = std::bit_cast<double>(rng.bits());
    } while (std::isnan(value));
  }
  ModelDocument model("svc");
  model.set_dense("x", matrix);
  model.set_sparse("s", to_sparse(matrix.view()));
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const ModelDocument copy = read_bytes(bytes_of(model, format));
    EXPECT_EQ(std::memcmp(copy.dense("x").data(), matrix.data(), 300 * 7 * sizeof(double)), 0);
    EXPECT_EQ(copy.sparse("s").entries(), model.sparse("s").entries());
    EXPECT_TRUE(
        std::ranges::equal(copy.sparse("s").view().values, model.sparse("s").view().values));
    EXPECT_TRUE(
        std::ranges::equal(copy.sparse("s").view().columns, model.sparse("s").view().columns));
  }
}

TEST(ModelFile, TextIsAsTheGuideSays) {
  ModelDocument model("linear-svc");
  model.set_number("C", 0.5);
  model.set_labels("classes", {Label(1.0), Label("b")});
  model.set_sparse("w", sample_sparse());
  const std::string body =
      "maxmargin-model 2\nlearner linear-svc\nfield C number 0.5\n"
      "section classes labels 2\n1\n\"b\"\nsection w sparse 3 7 3\n1:0.5 7:-2\n\n4:1e-300\n";
  const std::string text = bytes_of(model, ModelFormat::text);
  EXPECT_EQ(text.substr(0, body.size()), body);
  EXPECT_EQ(text.size(), body.size() + std::strlen("checksum fnv1a64 0123456789abcdef\n"));
  EXPECT_EQ(sealed_text(""), bytes_of(ModelDocument("svc"), ModelFormat::text));
}

TEST(ModelFile, VersionOneStaysReadable) {
  for (const std::string name : {"svc-version-1.model", "svc-version-1.binary-model"}) {
    Input input =
        Input::open(std::string(MAXMARGIN_SOURCE_DIR) + "/tests/reference/models/" + name);
    EXPECT_TRUE(looks_like_model(input));
    const ModelDocument model = read_model(input);
    EXPECT_EQ(model.learner(), "svc");
    EXPECT_EQ(model.string("kernel"), "rbf");
    EXPECT_EQ(model.integer("seed"), 42);
    EXPECT_EQ(model.number("gamma"), 0.25);
    EXPECT_TRUE(model.boolean("shrinking"));
    EXPECT_EQ(model.labels("classes"), (std::vector<Label>{Label(-1.0), Label("iris setosa")}));
    EXPECT_EQ(model.strings("feature-names"), (std::vector<std::string>{"length", "width \"cm\""}));
    EXPECT_EQ(model.numbers("bias"), (std::vector<double>{-0.1}));
    EXPECT_EQ(model.dense("vectors")(2, 1), 1e-5);
    EXPECT_EQ(model.sparse("coefficients").row(1).columns[0], 2);
    EXPECT_EQ(model.sparse("coefficients").row(1).values[0], -0.75);
  }
}

TEST(ModelFile, EveryDamagedByteIsNoticed) {
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const std::string bytes = bytes_of(sample_model(), format);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      std::string damaged = bytes;
      damaged[k] = static_cast<char>(damaged[k] ^ 4);
      EXPECT_NE(problem_in(damaged), "") << "byte " << k;
    }
  }
}

TEST(ModelFile, EveryCutIsNoticed) {
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const std::string bytes = bytes_of(sample_model(), format);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      EXPECT_NE(problem_in(bytes.substr(0, k)), "") << "cut at byte " << k;
    }
    EXPECT_NE(problem_in(bytes + "\n"), "");
    EXPECT_NE(problem_in(bytes + bytes), "");
  }
}

TEST(ModelFile, ACutSectionIsNamedWithItsLine) {
  const std::string problem =
      problem_in("maxmargin-model 1\nlearner svc\nsection w numbers 3\n1\n2.0000");
  EXPECT_EQ(problem, "m:5:1: the file is cut short here, expected numbers, 2 of 3");
}

TEST(ModelFile, AnUnknownVersionSaysWhatToDo) {
  for (const std::string& bytes :
       {std::string("maxmargin-model 3\nanything"),
        std::string("\x8fMMD\r\n\x1a\n") + little_endian(3, 4) + "anything"}) {
    const std::string problem = problem_in(bytes);
    EXPECT_NE(problem.find("version 3"), std::string::npos) << problem;
    EXPECT_NE(problem.find("reads versions 1 to 2"), std::string::npos) << problem;
    EXPECT_NE(problem.find("update"), std::string::npos) << problem;
  }
}

TEST(ModelFile, ChangedLineEndsAreNamed) {
  EXPECT_NE(problem_in("maxmargin-model 1\r\nlearner svc\r\n").find("CR LF"), std::string::npos);
}

TEST(ModelFile, OtherFilesAreNotModels) {
  for (const std::string bytes : {"", "1 1:0.5\n", "a,b,label\n", "maxmargin"}) {
    Input input = Input::from_memory("m", bytes);
    EXPECT_FALSE(looks_like_model(input));
    EXPECT_NE(problem_in(bytes).find("not a model file"), std::string::npos) << bytes;
  }
}

TEST(ModelFile, TextOutsideTheGrammarIsRefused) {
  EXPECT_EQ(problem_in(sealed_text("")), "");  // the frame itself is good
  for (const std::string body : {
           "nonsense\n",
           "field a number\n",
           "field a number x\n",
           "field a number 1 2\n",
           "field a integer 1.5\n",
           "field a integer 9223372036854775808\n",
           "field a boolean yes\n",
           "field a string bare\n",
           "field a string \"open\n",
           "field a string \"\\q\"\n",
           "field a string \"\\x1\"\n",
           "field a string \"x\" y\n",
           "field a colour 1\n",
           "field 1a number 1\n",
           "field a number 1\nfield a number 2\n",
           "field a number 1\nsection a numbers 0\n",
           "section a numbers\n",
           "section a numbers -1\n",
           "section a numbers 2\n1\n",
           "section a numbers 1\n1 2\n",
           "section a numbers 0 0\n",
           "section a labels 1\ninf\n",
           "section a labels 1\nbare\n",
           "section a dense 1\n",
           "section a dense 1 2\n1\n",
           "section a dense 1 2\n1 2 3\n",
           "section a dense 1 2\n1  2\n",
           "section a dense 1 0\n\n",
           "section a sparse 1 2 1\n3:1\n",
           "section a sparse 1 2 1\n0:1\n",
           "section a sparse 1 2 2\n2:1 1:1\n",
           "section a sparse 1 2 1\n1:1 2:1\n",
           "section a sparse 1 2 2\n1:1\n",
           "section a sparse 1 2 1\n1\n",
           "section a sparse 1 2 1\n1:x\n",
           "section a tensor 1\n",
       }) {
    EXPECT_NE(problem_in(sealed_text(body)), "") << body;
  }
}

TEST(ModelFile, ClaimedCountsAreCheckedBeforeMemoryIsTaken) {
  for (const std::string counts : {"strings 9000000000000000000",
                                   "numbers 18446744073709551615",
                                   "labels 1000000000000",
                                   "dense 4000000000 4000000000",
                                   "dense 1000000000 2000000000",
                                   "dense 18446744073709551615 2147483647",
                                   "dense 0 9000000000",
                                   "sparse 1000000000000 5 0",
                                   "sparse 1 5 100000000000000",
                                   "sparse 0 9000000000 0"}) {
    EXPECT_NE(problem_in(sealed_text("section a " + counts + "\n")), "") << counts;
  }
  const std::string start = little_endian(3, 8) + "svc" + little_endian(0, 8) +
                            little_endian(1, 8) + little_endian(1, 8) + "a";
  const std::uint64_t huge = std::uint64_t{1} << 60;
  for (const char type : {'\0', '\1', '\2', '\3', '\4'}) {
    const std::string body =
        start + type + little_endian(huge, 8) + little_endian(5, 8) + little_endian(huge, 8);
    EXPECT_NE(problem_in(sealed_binary(body)).find("do not fit"), std::string::npos) << int{type};
  }
}

TEST(ModelFile, BinaryOutsideTheGrammarIsRefused) {
  const auto name = [](const std::string& text) { return little_endian(text.size(), 8) + text; };
  const std::string none = little_endian(0, 8);
  const std::string one = little_endian(1, 8);
  EXPECT_EQ(problem_in(sealed_binary(name("svc") + none + none)), "");
  const std::string section = name("svc") + none + one + name("a");
  for (const std::string& body :
       {std::string(),
        name("3") + none + none,
        name("svc") + none,
        name("svc") + none + none + "x",
        name("svc") + one + name("a") + '\7',
        name("svc") + one + name("a") + '\3' + '\2' + none,
        name("svc") + little_endian(2, 8) + name("a") + '\3' + '\1' + name("a") + '\3' + '\1' +
            none,
        section + '\7',
        section + '\2' + one + '\2' + none,
        section + '\2' + one + '\0' + little_endian(0x7ff0000000000000u, 8),
        section + '\3' + one + none,
        section + '\3' + one + one,
        section + '\4' + one + one + one + one,
        // one row, one column, one entry in column 1 (of 0..0)
        section + '\4' + one + one + one + one + little_endian(1, 4) + none,
        // the offset says no entry, the count says one
        section + '\4' + one + one + one + none + little_endian(0, 4) + none,
        section + '\4' + one + one + one + little_endian(2, 8) + little_endian(0, 4) + none}) {
    EXPECT_NE(problem_in(sealed_binary(body)), "");
  }
  EXPECT_EQ(problem_in(
                sealed_binary(section + '\4' + one + one + one + one + little_endian(0, 4) + none)),
            "");
}

TEST(ModelDocument, GettersNameWhatIsMissingOrOfAnotherType) {
  const ModelDocument model = read_bytes(bytes_of(sample_model(), ModelFormat::text));
  EXPECT_EQ(problem_of<ModelFormatError>([&] { return model.number("nu"); }),
            "m: the model's 'nu' is missing, expected a field of type number");
  EXPECT_EQ(problem_of<ModelFormatError>([&] { return model.dense("nu").rows(); }),
            "m: the model's 'nu' is missing, expected a section of type dense");
  EXPECT_EQ(problem_of<ModelFormatError>([&] { return model.integer("gamma"); }),
            "m: the model's 'gamma' is not a field of type integer");
  EXPECT_EQ(problem_of<ModelFormatError>([&] { return model.string("bias"); }),
            "m: the model's 'bias' is not a field of type string");
  EXPECT_EQ(problem_of<ModelFormatError>([&] { return model.strings("kernel"); }),
            "m: the model's 'kernel' is not a section of type strings");
  EXPECT_TRUE(model.has("gamma"));
  EXPECT_TRUE(model.has("vectors"));
  EXPECT_FALSE(model.has("nu"));
}

TEST(ModelDocument, RefusesNamesThatAFileCannotHold) {
  EXPECT_THROW(ModelDocument(""), InvalidArgument);
  EXPECT_THROW(ModelDocument("a b"), InvalidArgument);
  ModelDocument model("svc");
  EXPECT_THROW(model.set_number("", 1), InvalidArgument);
  EXPECT_THROW(model.set_number("1st", 1), InvalidArgument);
  EXPECT_THROW(model.set_number("a\nb", 1), InvalidArgument);
  model.set_number("a", 1);
  EXPECT_THROW(model.set_numbers("a", {}), InvalidArgument);
  EXPECT_THROW(model.set_dense("d", DenseMatrix(2, 0)), InvalidArgument);
  EXPECT_EQ(model.fields().size(), 1u);
  EXPECT_TRUE(model.sections().empty());
}

TEST(ModelDocument, LetsALargeMatrixBeMovedOut) {
  ModelDocument model = sample_model();
  const double* before = model.dense("vectors").data();
  const DenseMatrix taken = std::move(model.dense("vectors"));
  EXPECT_EQ(taken.data(), before);
}

}  // namespace
}  // namespace maxmargin
