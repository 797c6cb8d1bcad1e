// SPDX-License-Identifier: Apache-2.0
#include "io/model/hmm_file.hpp"

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

namespace {

constexpr const char* end_name = "end_probabilities";
constexpr const char* covariances_name = "covariances";

template <class Model>
void add_chain(ModelDocument& document, const Model& model) {
  document.set_numbers("start_probabilities", model.start);
  document.set_dense("transition_probabilities", model.transitions);
  if (!model.end.empty()) document.set_numbers(end_name, model.end);
}

template <class Model>
void read_chain(const ModelDocument& document, Model& model) {
  model.start = document.numbers("start_probabilities");
  model.transitions = document.dense("transition_probabilities");
  if (document.has(end_name)) model.end = document.numbers(end_name);
}

HmmCovariance covariance_in(const ModelDocument& document) {
  const auto covariance = value_named<HmmCovariance>(document.string("covariance"));
  demand(covariance.has_value(), document, "covariance", "is not known");
  return *covariance;
}

}  // namespace

void add_hmm(ModelDocument& document, const Hmm& model) {
  add_chain(document, model);
  document.set_dense("emission_probabilities", model.emissions);
}

void add_gaussian_hmm(ModelDocument& document, const GaussianHmm& model) {
  add_chain(document, model);
  document.set_string("covariance", std::string(to_string(model.covariance)));
  document.set_dense("means", model.means);
  document.set_dense(covariances_name, model.covariances);
}

bool is_gaussian_hmm(const ModelDocument& document) { return document.has(covariances_name); }

Hmm hmm_of(const ModelDocument& document) {
  Hmm model{.emissions = document.dense("emission_probabilities")};
  read_chain(document, model);
  checked_by_library(document, "transition_probabilities", [&] { model.validate(); });
  return model;
}

GaussianHmm gaussian_hmm_of(const ModelDocument& document) {
  GaussianHmm model{.covariance = covariance_in(document),
                    .means = document.dense("means"),
                    .covariances = document.dense(covariances_name)};
  read_chain(document, model);
  checked_by_library(document, covariances_name, [&] { validate(model); });
  return model;
}

}  // namespace maxmargin
