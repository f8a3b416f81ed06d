// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// core.h: what the parts of the module visviva._core share: errors as exceptions, arrays, models, output rows.

#ifndef VISVIVA_PYTHON_CORE_H_
#define VISVIVA_PYTHON_CORE_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "visviva/visviva.h"

namespace nb = nanobind;

namespace vvpy {

using Input = nb::ndarray<const vvReal, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, vvReal>;

inline nb::object& error_classes() {
  static nb::object* classes = new nb::object();  // never destroyed: the interpreter may be gone at exit
  return *classes;
}

// Raises the Python class of a status (visviva.errors.CLASSES) with the report's message.
[[noreturn]] inline void raise_status(vvStatus status, const vvReport* report, const char* what) {
  std::string message = report && report->message[0] ? report->message : vv_status_text(status);
  if (what && !(report && report->message[0])) message = std::string(what) + ": " + message;
  nb::object type = nb::borrow(error_classes()[nb::int_(int(status))]);
  nb::object error = type(message);
  error.attr("step") = report ? report->step : -1;
  error.attr("element") = report ? report->element : -1;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

inline void check(vvStatus status, const vvReport* report = nullptr, const char* what = nullptr) {
  if (status != VV_OK) raise_status(status, report, what);
}

[[noreturn]] inline void bad_argument(const std::string& message) {
  vvReport report;
  vv_report_clear(&report);
  vv_report_set(&report, VV_ERROR_ARGUMENT, "%.250s", message.c_str());
  raise_status(VV_ERROR_ARGUMENT, &report, nullptr);
}

struct Context {
  vvContext* c = nullptr;
  explicit Context(int nthread) {
    vvContextOptions options = vv_context_options_default();
    options.nthread = nthread;
    check(vv_context_create(&options, &c), nullptr, "threads");
  }
  Context(const Context&) = delete;
  ~Context() {
    vv_context_destroy(c);
  }
};

// A NumPy array of the given shape, zeroed, that owns its memory.
inline Array make_array(const std::vector<size_t>& shape, vvReal** data) {
  size_t n = 1;
  for (size_t s : shape) n *= s;
  vvReal* memory = new vvReal[n + 1]();
  *data = memory;
  nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<vvReal*>(p); });
  return Array(memory, shape.size(), shape.data(), owner);
}

inline std::string shape_text(const std::vector<size_t>& shape) {
  std::string text = "(";
  for (size_t s : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(s);
  return text + ")";
}

// The data of an input that must have this shape; NULL for None.
inline const vvReal* data_of(const std::optional<Input>& a, const std::vector<size_t>& shape, const char* what) {
  if (!a) return nullptr;
  std::vector<size_t> got;
  for (size_t i = 0; i < a->ndim(); i++) got.push_back(a->shape(i));
  if (got != shape)
    bad_argument(std::string(what) + " has the shape " + shape_text(got) + "; it needs " + shape_text(shape));
  return a->data();
}

// ---- model ----------------------------------------------------------------------------------------------------------

struct Model {
  Context context{1};
  vvModel* m = nullptr;
  uint64_t version = 0;  // counts changes of numbers
  ~Model() {
    vv_model_free(context.c, m);
  }

  static std::unique_ptr<Model> from_file(const std::string& path) {
    auto model = std::make_unique<Model>();
    vvReport report;
    check(vv_model_load_file(model->context.c, path.c_str(), &model->m, &report), &report);
    return model;
  }

  static std::unique_ptr<Model> from_string(const std::string& text, const std::string& name) {
    auto model = std::make_unique<Model>();
    vvReport report;
    vvSpec* spec = nullptr;
    vvStatus status = vv_spec_read_text(model->context.c, text.data(), text.size(), name.c_str(), &spec, &report);
    if (status == VV_OK) status = vv_compile(model->context.c, spec, &model->m, &report);
    vv_spec_free(spec);
    check(status, &report);
    return model;
  }

  static std::unique_ptr<Model> from_binary(const std::string& path) {
    auto model = std::make_unique<Model>();
    vvReport report;
    check(vv_model_load(model->context.c, path.c_str(), &model->m, &report), &report);
    return model;
  }

  void to_binary(const std::string& path) {
    vvReport report;
    check(vv_model_save(context.c, m, path.c_str(), &report), &report);
  }

  nb::list numbers() const {
    nb::list list;
    for (int i = 0; i < m->names->nnumber; i++) {
      const vvNumber& n = m->names->numbers[i];
      nb::object reason = n.reason ? nb::object(nb::str(n.reason)) : nb::none();
      list.append(nb::make_tuple(n.name, n.unit, double(n.scale), n.sign, reason));
    }
    return list;
  }

  std::vector<int> match(const std::string& pattern) const {
    int n = vv_number_match(m, pattern.c_str(), nullptr, 0);
    std::vector<int> indices(size_t(n > 0 ? n : 0));
    vv_number_match(m, pattern.c_str(), indices.data(), n);
    return indices;
  }

  double value(int number) const {
    return double(vv_number_value(m, index(number)));
  }

  void set_values(const std::vector<int>& numbers, const std::vector<double>& values) {
    if (numbers.size() != values.size()) bad_argument("as many values as numbers are needed");
    std::vector<vvReal> old(m->reals, m->reals + m->section_begin[VV_SECTION_BULK]);
    for (size_t i = 0; i < numbers.size(); i++) vv_number_set(m, index(numbers[i]), vvReal(values[i]));
    vvReport report;
    vv_report_clear(&report);
    vvStatus status = vv_model_derive(context.c, m, &report);
    version++;
    if (status == VV_OK) return;
    memcpy(m->reals, old.data(), old.size() * sizeof(vvReal));
    raise_status(status, &report, nullptr);
  }

  int index(int number) const {
    if (number < 0 || number >= m->names->nnumber) bad_argument("there is no number " + std::to_string(number));
    return number;
  }

  std::vector<std::string> quantities() const {
    std::vector<std::string> list;
    char text[512];
    for (int i = 0; i < vv_output_count(m); i++) {
      if (vv_output_name(m, i, text, sizeof text)) list.push_back(text);
    }
    return list;
  }

  std::vector<std::string> element_names(int element) const {
    std::vector<std::string> list;
    if (element < 0 || element >= VV_ELEMENT_COUNT) return list;
    const char** names = m->names->element[element];
    for (int i = 0; names && i < m->names->nelement[element]; i++) list.push_back(names[i]);
    return list;
  }

  // The array of an element's attribute, e.g. ("actuator", "ctrlrange"), as a copy.
  Array field(int element, const std::string& attribute) const {
    for (const vvField* f = vv_model_fields(); f->attribute; f++) {
      if (f->element != element || attribute != f->attribute) continue;
      size_t rows = size_t(vv_model_count(m, f->element)), width = size_t(vv_field_width(m, f));
      vvReal* data;
      Array a = make_array({rows, width}, &data);
      if (rows * width > 0) memcpy(data, vv_field_data(m, f), rows * width * sizeof(vvReal));
      return a;
    }
    bad_argument("the model has no such array: " + attribute);
  }

  Array initial_state(int key) {
    vvState* s = nullptr;
    check(vv_state_create(context.c, m, &s));
    vvStatus status = key >= 0 ? vv_state_keyframe(m, key, s) : VV_OK;
    vvReal* data;
    Array a = make_array({s->size}, &data);
    memcpy(data, s->block, s->size * sizeof(vvReal));
    vv_state_free(context.c, s);
    check(status, nullptr, "keyframe");
    return a;
  }

  // Where the parts of a state lie in its block: (name, begin, end).
  nb::list state_layout() {
    vvState* s = nullptr;
    check(vv_state_create(context.c, m, &s));
    nb::list list;
    auto part = [&](const char* name, const vvReal* at, int n) {
      list.append(nb::make_tuple(name, at - s->block, at - s->block + n));
    };
    part("time", s->time, 1);
    part("qpos", s->q, m->nq);
    part("qvel", s->v, m->nv);
    part("act", s->act, m->na);
    part("warmstart", s->warmstart, m->nv);
    list.append(nb::make_tuple("all", 0, s->size));
    vv_state_free(context.c, s);
    return list;
  }

  Array retract(Input q, Input dq) {
    const vvReal* from = data_of(q, {size_t(m->nq)}, "q");
    const vvReal* by = data_of(dq, {size_t(m->nv)}, "dq");
    vvReal* data;
    Array a = make_array({size_t(m->nq)}, &data);
    vv_q_retract(m, from, by, data);
    return a;
  }

  Array difference(Input q0, Input q1) {
    const vvReal* from = data_of(q0, {size_t(m->nq)}, "q0");
    const vvReal* to = data_of(q1, {size_t(m->nq)}, "q1");
    vvReal* data;
    Array a = make_array({size_t(m->nv)}, &data);
    vv_q_difference(m, from, to, data);
    return a;
  }

  // Cotangents dq_bar (worlds, nv) of the tangent chart at q (worlds, nq) as ambient ones, orthogonal to quaternions.
  Array to_ambient(Input q, Input dq_bar) {
    size_t worlds = q.ndim() == 2 ? q.shape(0) : 0, nq = size_t(m->nq), nv = size_t(m->nv);
    const vvReal* at = data_of(q, {worlds, nq}, "q");
    const vvReal* from = data_of(dq_bar, {worlds, nv}, "dq_bar");
    vvReal* data;
    Array a = make_array({worlds, nq}, &data);
    for (size_t w = 0; w < worlds; w++) vv_q_bar_to_ambient(m, at + w * nq, from + w * nv, data + w * nq);
    return a;
  }
};

// ---- outputs --------------------------------------------------------------------------------------------------------

// A row of outputs: the quantities named, one after another.
struct Outputs {
  std::vector<vvOutputItem> items;
  std::vector<std::string> names;
  int n = 0;

  Outputs(const Model& model, const std::vector<std::string>& quantities) : names(quantities) {
    vvReport report;
    for (const std::string& name : quantities) {
      vvOutputItem item;
      vv_report_clear(&report);
      check(vv_output_find(model.m, name.c_str(), &item, &report), &report);
      item.adr = n;
      n += item.dim;
      items.push_back(item);
    }
  }

  std::vector<int> dims() const {
    std::vector<int> d;
    for (const vvOutputItem& item : items) d.push_back(item.dim);
    return d;
  }
};

// Registers the XLA calls of jax_calls.cc in the module.
void add_jax_calls(nb::module_& module);

}  // namespace vvpy

#endif  // VISVIVA_PYTHON_CORE_H_
