# SPDX-License-Identifier: Apache-2.0
"""train --libsvm against svm-train, where that is installed."""

import json
import re
import shutil
import subprocess
import unittest

from tool import SHARED, ToolTest

HEART = SHARED / "libsvm" / "heart_scale"
PEERS = shutil.which("svm-train") and shutil.which("svm-predict")


class LibsvmMode(ToolTest):
    def setUp(self):
        super().setUp()
        rows = [f"{1 if a * a + b > 2 else -1} 1:{a / 4} 2:{b / 4}\n"
                for a in range(-4, 5) for b in range(-4, 5)]  # fmt: skip
        self.write("data.svm", "".join(rows))

    def train(self, *words, code=0):
        return self.run_tool("train", "--libsvm", *words, code=code)

    def test_model_is_named_as_svm_train_names_it(self):
        (self.folder / "sub").mkdir()
        self.write("sub/data.svm", "1 1:1\n-1 1:2\n")
        self.train("sub/data.svm")
        self.assertIn("data.svm.model", self.files())
        self.train("-q", "data.svm", "given.model")
        self.assertTrue((self.folder / "given.model").read_text().startswith("svm_type c_svc"))

    def test_every_type_and_kernel(self):
        for machine in range(5):
            for kernel in range(4):
                with self.subTest(machine=machine, kernel=kernel):
                    self.train("-s", machine, "-t", kernel, "-g", 0.5, "-r", 1, "-n", 0.3, "-q",
                               "data.svm", "m.model")  # fmt: skip
                    self.assertEqual(
                        len(self.run_tool("predict", "m.model", "data.svm").stdout.split()), 81
                    )

    def test_defaults_are_those_of_svm_train(self):
        text = (self.train("-q", "data.svm", "m.model"), (self.folder / "m.model").read_text())[1]
        self.assertIn("kernel_type rbf", text)
        self.assertEqual(float(re.search(r"gamma (\S+)", text).group(1)), 0.5)

    def test_cross_validation_prints_what_scripts_read(self):
        done = self.train("-v", 5, "data.svm")
        self.assertRegex(done.stdout, r"(?m)^Cross Validation Accuracy = [\d.]+%$")
        done = self.train("-v", 5, "-s", 3, "data.svm")
        self.assertRegex(done.stdout, r"(?m)^Cross Validation Mean squared error = \S+$")
        self.assertRegex(done.stdout, r"(?m)^Cross Validation Squared correlation coefficient = ")
        self.assertEqual(self.files(), ["data.svm"])

    def test_cross_validation_writes_its_report(self):
        self.train("-v", 5, "data.svm", "--json", "v.json")
        report = json.loads((self.folder / "v.json").read_text())
        self.assertEqual(report["options"]["folds"], 5)
        self.assertEqual(len(report["folds"]), 5)
        self.assertEqual(report["options"]["C"], 1)

    def test_part_of_a_megabyte_is_memory_too(self):
        self.train("-q", "-m", 0.5, "data.svm", "m.model")

    def test_info_says_that_there_are_probabilities(self):
        self.train("-q", "-b", 1, "data.svm", "m.model")
        self.assertIn("--probabilities", self.run_tool("info", "m.model").stdout)

    def test_output_names_the_figures(self):
        done = self.train("data.svm", "m.model")
        self.assertRegex(done.stdout, r"(?m)^Total nSV = \d+$")
        self.assertEqual(self.train("-q", "data.svm", "m.model").stdout, "")

    def test_class_weights(self):
        self.train("-q", "-w1", 50, "data.svm", "heavy.model")
        heavy = self.run_tool("predict", "heavy.model", "data.svm").stdout.split()
        self.train("-q", "-w-1", 50, "data.svm", "light.model")
        light = self.run_tool("predict", "light.model", "data.svm").stdout.split()
        self.assertGreater(heavy.count("1"), light.count("1"))
        self.assertIn("-w7", self.train("-w7", 2, "data.svm", "m.model").stderr)

    def test_wrong_usage(self):
        for words in (
            [],
            ["-c", "0", "data.svm"],
            ["-z", "1", "data.svm"],
            ["-s", "5", "data.svm"],
            ["-t", "5", "data.svm"],
            ["-v", "1", "data.svm"],
            ["-e", "0", "data.svm"],
            ["data.svm", "a", "b"],
            ["data.svm", "-c"],
            ["absent.svm"],
        ):
            with self.subTest(words):
                self.train(*words, code=1)
                self.assertEqual(self.files(), ["data.svm"])

    def test_precomputed(self):
        points = [(a, b) for a in range(-3, 4) for b in range(-2, 3)]
        rows = [
            f"{1 if a + b > 0 else -1} 0:{i + 1} "
            + " ".join(f"{j + 1}:{a * c + b * d}" for j, (c, d) in enumerate(points))
            for i, (a, b) in enumerate(points)
        ]
        self.write("gram.svm", "\n".join(rows) + "\n")
        self.train("-t", 4, "-q", "gram.svm", "m.model")
        report = self.json_of("predict", "m.model", "gram.svm")
        self.assertGreater(report["metrics"]["accuracy"], 0.9)
        if PEERS:
            done = subprocess.run(["svm-predict", "gram.svm", "m.model", "out"],
                                  cwd=self.folder, capture_output=True, text=True)  # fmt: skip
            self.assertIn("Accuracy", done.stdout)
            self.assertEqual(
                (self.folder / "out").read_text(),
                self.run_tool("predict", "m.model", "gram.svm").stdout,
            )


@unittest.skipUnless(PEERS and HEART.exists(), "svm-train or the shared data is not here")
class AgainstLibsvm(ToolTest):
    def run_peer(self, *words):
        return subprocess.run([*map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, check=True).stdout  # fmt: skip

    def test_same_options_same_predictions(self):
        for words in (
            [],
            ["-c", 10, "-g", 0.05],
            ["-t", 0],
            ["-t", 1, "-g", 0.1, "-r", 1],
            ["-s", 1, "-n", 0.3],
            ["-s", 2, "-n", 0.1],
            ["-w1", 3],
        ):
            with self.subTest(words):
                self.run_peer("svm-train", "-q", "-e", 1e-6, *words, HEART, "theirs.model")
                self.run_tool(
                    "train", "--libsvm", "-q", "-e", 1e-6, *words, HEART, "ours.model"
                )
                self.run_peer("svm-predict", HEART, "theirs.model", "theirs.txt")
                self.run_peer("svm-predict", HEART, "ours.model", "ours.txt")
                theirs = (self.folder / "theirs.txt").read_text().split()
                ours = (self.folder / "ours.txt").read_text().split()
                # A point within 1e-6 of the border may fall on either side; all free support
                # vectors of a one-class machine are there.
                if "-s" not in words or words[1] != 2:
                    self.assertLessEqual(sum(a != b for a, b in zip(theirs, ours)), 1)
                read = self.run_tool("predict", "theirs.model", HEART).stdout.split()
                self.assertEqual(read, theirs)
                self.assertEqual(self.run_tool("predict", "ours.model", HEART).stdout.split(), ours)

    def test_same_regression(self):
        words = ["-s", 3, "-p", 0.2, "-e", 1e-6]
        self.run_peer("svm-train", "-q", *words, HEART, "theirs.model")
        self.run_tool("train", "--libsvm", "-q", *words, HEART, "ours.model")
        self.run_peer("svm-predict", HEART, "theirs.model", "theirs.txt")
        self.run_peer("svm-predict", HEART, "ours.model", "ours.txt")
        for a, b in zip(
            (self.folder / "theirs.txt").read_text().split(),
            (self.folder / "ours.txt").read_text().split(),
        ):
            self.assertAlmostEqual(float(a), float(b), places=3)

    def test_probabilities_are_read_by_svm_predict(self):
        self.run_tool("train", "--libsvm", "-q", "-b", 1, HEART, "ours.model")
        self.run_peer("svm-predict", "-b", 1, HEART, "ours.model", "out.txt")
        rows = [line.split() for line in (self.folder / "out.txt").read_text().splitlines()[1:]]
        self.assertEqual(len(rows), 270)
        for row in rows:
            self.assertAlmostEqual(float(row[1]) + float(row[2]), 1, places=4)
