// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "maxmargin/learner/tune.hpp"

/// What folds measure of each structured learner, by the names that its reports of predictions have
/// (fold_measures); a test holds them to those.
namespace maxmargin::learning {

inline constexpr std::array measures_of_bags = {
    FoldMeasure{"accuracy"}, FoldMeasure{"error", false}, FoldMeasure{"roc_auc"}};

inline constexpr std::array measures_of_classes = {FoldMeasure{"accuracy"},
                                                   FoldMeasure{"error", false},
                                                   FoldMeasure{"tree_loss", false},
                                                   FoldMeasure{"mean_cost", false}};

inline constexpr std::array measures_of_label_sets = {FoldMeasure{"hamming_loss", false},
                                                      FoldMeasure{"subset_accuracy"},
                                                      FoldMeasure{"micro_f1"},
                                                      FoldMeasure{"macro_f1"}};

inline constexpr std::array measures_of_rankings = {FoldMeasure{"map"},
                                                    FoldMeasure{"ndcg_at"},
                                                    FoldMeasure{"precision_at"},
                                                    FoldMeasure{"recall_at"},
                                                    FoldMeasure{"reciprocal_rank"},
                                                    FoldMeasure{"roc_area"},
                                                    FoldMeasure{"break_even"},
                                                    FoldMeasure{"f1"},
                                                    FoldMeasure{"error", false}};

inline constexpr std::array measures_of_sequences = {FoldMeasure{"accuracy"},
                                                     FoldMeasure{"error", false},
                                                     FoldMeasure{"token_accuracy"},
                                                     FoldMeasure{"sequence_accuracy"},
                                                     FoldMeasure{"chunk_precision"},
                                                     FoldMeasure{"chunk_recall"},
                                                     FoldMeasure{"chunk_f1"}};

/// Of states with labels; of states without a name how well they match labels.
inline constexpr std::array measures_of_states = {FoldMeasure{"accuracy"},
                                                  FoldMeasure{"error", false},
                                                  FoldMeasure{"token_accuracy"},
                                                  FoldMeasure{"sequence_accuracy"},
                                                  FoldMeasure{"misassignment", false},
                                                  FoldMeasure{"majority_error", false}};

inline constexpr std::array measures_of_partitions = {FoldMeasure{"conll_average"},
                                                      FoldMeasure{"pair_loss", false},
                                                      FoldMeasure{"muc_loss", false},
                                                      FoldMeasure{"pairs_f1"},
                                                      FoldMeasure{"muc_f1"},
                                                      FoldMeasure{"b_cubed_f1"},
                                                      FoldMeasure{"ceaf_mention_f1"},
                                                      FoldMeasure{"ceaf_entity_f1"},
                                                      FoldMeasure{"document_accuracy"}};

inline constexpr std::array measures_of_alignments = {FoldMeasure{"q"}, FoldMeasure{"q4"}};

inline constexpr std::array measures_of_motifs = {FoldMeasure{"accuracy"},
                                                  FoldMeasure{"error", false},
                                                  FoldMeasure{"precision"},
                                                  FoldMeasure{"recall"},
                                                  FoldMeasure{"f1"},
                                                  FoldMeasure{"auc"}};

}  // namespace maxmargin::learning
