# SPDX-License-Identifier: Apache-2.0
"""Model files of learners of pairs (partition, coreference), in text: other weights in the frame of another model.

So weights of one learner can be put into the other's predictor, and its objective be computed there by `info --verify`.
"""

WEIGHTS = "section weights sparse "


def fnv1a64(data):
    """The checksum of docs/guide/model-file.md."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def weights_line(text):
    """Where the row of weights is among the lines."""
    lines = text.split("\n")
    return lines, next(k for k, line in enumerate(lines) if line.startswith(WEIGHTS)) + 1


def weights_of(path):
    """Index to weight."""
    lines, at = weights_line(path.read_text(encoding="utf-8"))
    return {int(index): float(weight) for index, weight in (entry.split(":") for entry in lines[at].split())}


def with_weights(frame, weights, path, scale=1.0):
    """The model `frame`, its weights replaced, written to path."""
    lines, at = weights_line(frame.read_text(encoding="utf-8"))
    columns = lines[at - 1].split()[4]
    lines[at - 1] = f"{WEIGHTS}1 {columns} {len(weights)}"
    lines[at] = " ".join(f"{index}:{scale * weight!r}" for index, weight in sorted(weights.items()))
    end = next(k for k, line in enumerate(lines) if line.startswith("checksum "))
    body = "\n".join(lines[:end]) + "\n"
    path.write_text(f"{body}checksum fnv1a64 {fnv1a64(body.encode()):016x}\n", encoding="utf-8")
    return path
