# SPDX-License-Identifier: Apache-2.0
"""info and convert, and the walk over all bad input."""

import gzip
import json
import struct
import subprocess
import unittest

from tool import SHARED, TOOL, ToolTest


def npy_header(shape):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


BAD_INPUT = {
    # name: (content, what the message must say besides the name)
    "truncated.svm.gz": (gzip.compress(b"".join(b"1 1:%d\n" % (i * 7919 % 10007) for i in range(5000)))[:-200], "byte"),
    "order.svm": (b"1 1:1\n1 3:0.5 2:0.1\n", ":2:9:"),
    "nan.svm": (b"1 1:nan\n", ":1:"),
    "zero.svm": (b"1 0:1\n", ":1:3:"),
    "huge.svm": (b"1 99999999999999999999:1\n", ":1:3:"),
    "empty.svm": (b"", "empty"),
    "claimed.npy": (npy_header((10**6, 1250000)) + b"\0" * 64, "byte"),
    "binary.csv": (bytes(range(256)) * 8, ""),
    "ragged.csv": (b"a,b,label\n1,2,x\n1,x\n", ":3:"),
    "missing.csv": (b"a,b,label\n1,?,x\n", ":2:"),
    "inf.csv": (b"a,b,label\n1,inf,x\n", ":2:"),
    "short.idx": (b"\x00\x00\x08\x03" + struct.pack(">III", 1 << 30, 1 << 10, 1 << 10), "byte"),
}


class BadInput(ToolTest):
    def test_each_exits_1_names_the_place_and_writes_nothing(self):
        for name, (content, place) in BAD_INPUT.items():
            self.write(name, content)
            before = self.files()
            forms = ["--format", "csv"] if name == "binary.csv" else []
            for words in (
                ["info", name],
                ["convert", name, "out.svm"],
                ["cluster", name, "-k", 2, "-o", "labels.txt", "--json", "r.json"],
            ):
                with self.subTest(name=name, words=words):
                    done = self.run_tool(*words, *forms, code=1)
                    self.assertIn(name + place if place.startswith(":") else name, done.stderr)
                    self.assertIn(place, done.stderr)
                    self.assertEqual(done.stdout, "")
                    self.assertEqual(self.files(), before)

    def test_a_directory_and_a_missing_file(self):
        (self.folder / "folder").mkdir()
        self.assertIn("folder", self.run_tool("info", "folder", code=1).stderr)
        self.assertIn("absent", self.run_tool("info", "absent", code=1).stderr)

    def test_a_full_disk_is_an_error(self):
        done = self.run_tool("convert", "builtin:iris", "/dev/full", "--to", "csv", code=1)
        self.assertIn("/dev/full", done.stderr)
        self.assertEqual(self.files(), [])

    def test_a_folder_that_does_not_exist(self):
        done = self.run_tool("convert", "builtin:iris", "no/such/out.csv", code=1)
        self.assertIn("no/such/out.csv", done.stderr)

    def test_unknown_builtin_is_named_with_a_suggestion(self):
        done = self.run_tool("info", "builtin:irs", code=1)
        self.assertIn("iris", done.stderr)


class Convert(ToolTest):
    def test_formats_round_trip(self):
        self.run_tool("convert", "builtin:iris", "a.csv")
        for step in ("b.tsv", "c.svm.gz", "d.csv.bz2", "e.csv.xz"):
            self.run_tool("convert", "a.csv", step)
            self.run_tool("convert", step, "back.csv")
            first = self.json_of("info", "a.csv")
            again = self.json_of("info", "back.csv")
            for key in ("n", "d", "classes"):
                self.assertEqual(first[key], again[key], step)

    def test_scaler_is_stored_and_applied(self):
        self.write("train.svm", "1 1:0 2:10\n2 1:4 2:20\n")
        self.write("test.svm", "1 1:2 2:40\n")
        self.run_tool(
            "convert", "train.svm", "scaled.svm", "--scale", "range", "--save-scaler", "s.mm"
        )
        self.assertEqual((self.folder / "scaled.svm").read_text(), "1 1:-1 2:-1\n2 1:1 2:1\n")
        self.run_tool("convert", "test.svm", "scaled.t.svm", "--scaler", "s.mm")
        self.assertEqual((self.folder / "scaled.t.svm").read_text(), "1 2:5\n")

    def test_a_model_is_no_data_and_need_not_hold_a_scaler(self):
        self.run_tool("cluster", "builtin:iris", "-k", 2, "--model", "m.mm", "-o", "labels.txt")
        done = self.run_tool("convert", "m.mm", "out.csv", code=1)
        self.assertIn("m.mm:1: this is a model", done.stderr)
        done = self.run_tool("convert", "builtin:iris", "out.csv", "--scaler", "m.mm", code=1)
        self.assertIn("holds no scaler", done.stderr)

    def test_a_pipe_is_read_once(self):
        self.write("data.svm", "1 1:2\n2 2:1\n3 1:1\n")
        done = subprocess.run(
            ["bash", "-c", f"{TOOL} info <(cat data.svm) --json - && {TOOL} convert <(cat data.svm) out"],
            cwd=self.folder, capture_output=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(json.loads(done.stdout)["n"], 3)
        self.assertEqual((self.folder / "out").read_text(), "1 1:2\n2 2:1\n3 1:1\n")

    def test_unlabeled_applies_to_builtin_data(self):
        report = self.json_of("info", "builtin:iris", "--unlabeled", "setosa")
        self.assertEqual((report["unlabelled"], report["labels"]), (50, 2))

    def test_header_can_be_said(self):
        self.write("names.csv", "1,2\n3,4\n")
        self.assertEqual(self.json_of("info", "names.csv", "--header", "yes")["n"], 1)
        self.assertEqual(self.json_of("info", "names.csv", "--header", "no")["n"], 2)

    def test_reads_standard_input(self):
        done = self.run_tool("info", "-", "--json", "-", stdin=b"1 1:2\n2 2:1\n")
        self.assertEqual(json.loads(done.stdout)["n"], 2)


# n, labels and class counts of the files as their README states them.
LIBSVM_FILES = {
    "heart_scale": (270, 2, {"-1": 150, "1": 120}),
    "a1a": (1605, 2, None),
    "a1a.t.gz": (30956, 2, None),
    "a9a.gz": (32561, 2, {"-1": 24720, "1": 7841}),
    "a9a.t.gz": (16281, 2, {"-1": 12435, "1": 3846}),
    "w1a": (2477, 2, {"-1": 2405, "1": 72}),
    "ijcnn1.trn.bz2": (49990, 2, None),
    "ijcnn1.tst.bz2": (91701, 2, None),
    "reuters.trn.bz2": (7770, 2, {"-1": 7232, "1": 538}),
    "reuters.tst.bz2": (3299, 2, {"-1": 3120, "1": 179}),
    "agaricus.txt.train.gz": (6513, 2, None),
    "agaricus.txt.test.gz": (1611, 2, None),
    "german_scale.txt": (1000, 2, {"-1": 700, "1": 300}),
    "fourclass_scale": (862, 2, None),
    "australian.txt": (690, 2, {"-1": 383, "1": 307}),
    "breast-cancer": (683, 2, {"2": 444, "4": 239}),
    "svmguide1.gz": (3089, 2, {"0": 1089, "1": 2000}),
    "svmguide1.t.gz": (4000, 2, {"0": 2000, "1": 2000}),
    "svmguide2.txt.gz": (391, 3, None),
    "letter.scale.gz": (15000, 26, None),
    "letter.scale.t.gz": (5000, 26, None),
    "pendigits.gz": (7494, 10, None),
    "pendigits.t.gz": (3498, 10, None),
    "satimage.scale.gz": (4435, 6, None),
    "segment.scale.gz": (2310, 7, {str(c): 330 for c in range(1, 8)}),
    "vehicle.scale.gz": (846, 4, None),
    "7class_example4_train.light": (300, 7, None),
    "7class_example4_test.light.gz": (2000, 7, None),
    "yeast_train.svm.gz": (1500, 14, None),
    "yeast_test.svm.gz": (917, 14, None),
}
LIBSVM_FEATURES = {"a1a": 119, "a9a.t.gz": 122, "heart_scale": 13, "reuters.trn.bz2": 8315}


class Info(ToolTest):
    def test_iris(self):
        report = self.json_of("info", "builtin:iris")
        self.assertEqual((report["n"], report["d"], report["labels"]), (150, 4, 3))
        self.assertEqual(report["classes"], {"setosa": 50, "versicolor": 50, "virginica": 50})

    def test_messages_hold_words_of_users_alone(self):
        self.run_tool("train", "builtin:iris", "--learner", "svc", "-o", "m.mm", "--quiet")
        self.run_tool("convert", "builtin:iris", "p.csv", "--project", "pca", "--model", "p.mm")
        self.write("words.csv", "a,y\n1,2\n2,x\n")
        for words, message in (
            (["plot", "builtin:circles", "--model", "m.mm"], "has 2 features, the model 4"),
            (["convert", "builtin:circles", "x.csv", "--project", "p.mm"],
             "the rows have 2 features, the projection 4"),
            (["convert", "builtin:iris", "x.npy"], "maxmargin: NPY holds features alone"),
            (["tune", "builtin:iris", "--learner", "svc", "--grid", "C"], 'maxmargin: --grid: "C"'),
            (["train", "builtin:iris", "--learner", "svc", "--folds", 151], "--folds 151: must be"),
            (["train", "builtin:circles,n=9", "--learner", "nu-svc", "--nu", 0.95, "-o", "x.mm"],
             "--nu 0.95: must be at most"),
            (["train", "words.csv", "--learner", "svr", "-o", "x.mm"],
             "words.csv: the label of row 1 (from 0) is x; regression wants numbers"),
        ):  # fmt: skip
            with self.subTest(words):
                done = self.run_tool(*words, code=1)
                self.assertIn(message, done.stderr)

    def test_options_without_a_use_are_refused(self):
        self.run_tool("train", "builtin:iris", "--learner", "svc", "-o", "m.mm", "--quiet")
        done = self.run_tool("info", "builtin:iris", "--verify", "builtin:iris", code=1)
        self.assertIn("--verify: builtin:iris is data", done.stderr)
        for words in (["--label", 3], ["--format", "csv"]):
            done = self.run_tool("info", "m.mm", *words, code=1)
            self.assertIn(f"{words[0]}: a model without --verify does not take it", done.stderr)
        done = self.run_tool("info", "m.mm", "--time-limit", 1, code=1)
        self.assertIn("--time-limit: belongs to --verify", done.stderr)
        done = self.run_tool("info", "m.mm", "--verify", "builtin:iris", "--columns", "FORM", code=1)
        self.assertIn("--columns", done.stderr)
        self.run_tool("convert", "builtin:iris", "x.csv", "--scale", "range", "--save-scaler", "s.mm")
        shown = self.json_of("info", "s.mm", "--verify", "builtin:iris")
        self.assertIsNone(shown["verified"])
        self.assertIn("has no certificate", shown["verify_reason"])

    @unittest.skipUnless(SHARED.is_dir(), "the shared data is not here")
    def test_real_files_agree_with_their_readme(self):
        found = {path.name for path in (SHARED / "libsvm").iterdir()}
        self.assertEqual(found, set(LIBSVM_FILES))
        for name, (n, labels, classes) in LIBSVM_FILES.items():
            with self.subTest(name):
                report = self.json_of("info", SHARED / "libsvm" / name)
                self.assertEqual((report["n"], report["labels"]), (n, labels))
                if classes:
                    self.assertEqual(report["classes"], classes)
                if name in LIBSVM_FEATURES:
                    self.assertEqual(report["d"], LIBSVM_FEATURES[name])
