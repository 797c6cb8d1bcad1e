#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a file of sentences to tagged text: docs/guide/tagging.md.
set -euo pipefail
cat > train.conll <<'END'
the D B-NP
old A I-NP
dog N I-NP
saw V B-VP
a D B-NP
house N I-NP

this D B-NP
bank N I-NP
left V B-VP
the D B-NP
red A I-NP
run N I-NP

a D B-NP
big A I-NP
old A I-NP
house N I-NP
left V B-VP
END
cat > test.conll <<'END'
the D B-NP
big A I-NP
bank N I-NP
saw V B-VP
this D B-NP
dog N I-NP
END
maxmargin train train.conll --learner sequence -C 1 -o chunker.mm --json training.json
maxmargin predict chunker.mm test.conll -o tagged.conll
maxmargin eval test.conll tagged.conll --task sequence
