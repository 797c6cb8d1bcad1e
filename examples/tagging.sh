#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a CoNLL file to tagged text: the commands of docs/guide/tagging.md.
set -euo pipefail

# A token a line: the word, its part of speech, its chunk; an empty line behind every sentence. The
# sentences stand here in one line each, as word/part/chunk.
sentences() {
  tr ' ' '\n' | tr '/' '\t' | sed 's/^|$//'
}
sentences > train.conll <<'END'
the/DT/B-NP old/JJ/I-NP man/NN/I-NP saw/VBD/B-VP a/DT/B-NP dog/NN/I-NP ././O |
she/PRP/B-NP gave/VBD/B-VP the/DT/B-NP dog/NN/I-NP a/DT/B-NP bone/NN/I-NP ././O |
a/DT/B-NP red/JJ/I-NP saw/NN/I-NP lay/VBD/B-VP in/IN/B-PP the/DT/B-NP house/NN/I-NP ././O |
he/PRP/B-NP took/VBD/B-VP the/DT/B-NP saw/NN/I-NP ././O |
the/DT/B-NP dog/NN/I-NP ran/VBD/B-VP to/IN/B-PP the/DT/B-NP old/JJ/I-NP house/NN/I-NP ././O |
she/PRP/B-NP saw/VBD/B-VP him/PRP/B-NP in/IN/B-PP the/DT/B-NP garden/NN/I-NP ././O |
the/DT/B-NP man/NN/I-NP in/IN/B-PP the/DT/B-NP garden/NN/I-NP gave/VBD/B-VP her/PRP/B-NP a/DT/B-NP rose/NN/I-NP ././O |
the/DT/B-NP run/NN/I-NP took/VBD/B-VP a/DT/B-NP day/NN/I-NP ././O |
they/PRP/B-NP run/VBP/B-VP to/IN/B-PP the/DT/B-NP red/JJ/I-NP house/NN/I-NP ././O |
roses/NNS/B-NP rose/VBD/B-VP in/IN/B-PP the/DT/B-NP garden/NN/I-NP ././O |
old/JJ/B-NP dogs/NNS/I-NP run/VBP/B-VP in/IN/B-PP gardens/NNS/B-NP ././O |
he/PRP/B-NP rose/VBD/B-VP and/CC/O took/VBD/B-VP a/DT/B-NP bone/NN/I-NP ././O |
END
sentences > test.conll <<'END'
the/DT/B-NP red/JJ/I-NP dog/NN/I-NP took/VBD/B-VP the/DT/B-NP bone/NN/I-NP to/IN/B-PP the/DT/B-NP garden/NN/I-NP ././O |
she/PRP/B-NP saw/VBD/B-VP the/DT/B-NP saw/NN/I-NP in/IN/B-PP the/DT/B-NP old/JJ/I-NP house/NN/I-NP ././O |
they/PRP/B-NP run/VBP/B-VP ././O |
END

# A tagger of parts of speech learns from the first two columns, a chunker from all three.
cut -f 1,2 train.conll > words.conll
maxmargin train words.conll --learner sequence -C 1 -o tagger.mm
maxmargin train train.conll --learner sequence -C 1 -o chunker.mm --json training.json

# How good are they on sentences that they have not seen?
cut -f 1,2 test.conll > test-words.conll
maxmargin predict tagger.mm test-words.conll -o test-tagged.conll
maxmargin predict chunker.mm test.conll -o test-chunked.conll
maxmargin eval test-words.conll test-tagged.conll --task sequence

# New text: one word a line, tagged, then chunked.
echo "the old woman saw a dog in the red garden ." | tr ' ' '\n' > new.txt
maxmargin predict tagger.mm new.txt -o new-tagged.conll
maxmargin predict chunker.mm new-tagged.conll -o new-chunked.conll
cat new-chunked.conll

# Where is the tagger unsure, and what else could it have said?
maxmargin predict tagger.mm new.txt --margins
maxmargin predict tagger.mm new.txt --n-best 2

# Features of one's own and answers that keep the rules of chunk tags.
cat > my.template <<'END'
U0:%lower[0,0]
U1:%suffix[0,0,2]
U2:%x[-1,1]/%x[0,1]
B
END
maxmargin train train.conll --learner sequence --template my.template --chunks iob2 -o own.mm

# The same chain as a conditional random field, and by the averaged perceptron.
maxmargin train train.conll --learner sequence --solver crf -C 1 --tolerance 1e-4 -o crf.mm
maxmargin train train.conll --learner sequence --solver perceptron -o perceptron.mm

# Is the objective in the report that of the model in the file?
maxmargin train train.conll --learner sequence -C 1 --verify -o chunker.mm

# A long run: state is written now and then, and the same command continues from it.
maxmargin train train.conll --learner sequence -C 1 -o chunker.mm --checkpoint run.state --resume
