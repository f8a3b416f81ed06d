// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// core.cc: the module visviva._core: models, batches of worlds, checks and fits for Python, as thin as it goes; what a
// person sees is written in Python on top (visviva/*.py).
//
// arrays   inputs are any C-contiguous CPU array of the library's scalar (buffer protocol or DLPack, no copy); outputs
//          are NumPy arrays that own their memory
// threads  long calls release the interpreter's lock; one object is used by one call at a time (its mutex)
// errors   a status that is not VV_OK raises visviva.errors' class for it, with the C message

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
using namespace nb::literals;

namespace {

using Input = nb::ndarray<const vvReal, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, vvReal>;

nb::object& error_classes() {
  static nb::object* classes = new nb::object();  // never destroyed: the interpreter may be gone at exit
  return *classes;
}

// Raises the Python class of a status (visviva.errors.CLASSES) with the report's message.
[[noreturn]] void raise_status(vvStatus status, const vvReport* report, const char* what) {
  std::string message = report && report->message[0] ? report->message : vv_status_text(status);
  if (what && !(report && report->message[0])) message = std::string(what) + ": " + message;
  nb::object type = nb::borrow(error_classes()[nb::int_(int(status))]);
  nb::object error = type(message);
  error.attr("step") = report ? report->step : -1;
  error.attr("element") = report ? report->element : -1;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

void check(vvStatus status, const vvReport* report = nullptr, const char* what = nullptr) {
  if (status != VV_OK) raise_status(status, report, what);
}

[[noreturn]] void bad_argument(const std::string& message) {
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
Array make_array(const std::vector<size_t>& shape, vvReal** data) {
  size_t n = 1;
  for (size_t s : shape) n *= s;
  vvReal* memory = new vvReal[n + 1]();
  *data = memory;
  nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<vvReal*>(p); });
  return Array(memory, shape.size(), shape.data(), owner);
}

std::string shape_text(const std::vector<size_t>& shape) {
  std::string text = "(";
  for (size_t s : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(s);
  return text + ")";
}

// The data of an input that must have this shape; NULL for None.
const vvReal* data_of(const std::optional<Input>& a, const std::vector<size_t>& shape, const char* what) {
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

// ---- batch ----------------------------------------------------------------------------------------------------------

struct Batch {
  Context context;
  nb::object owner;  // keeps the model alive
  Model* model;
  vvBatch* b = nullptr;
  size_t nworld, nq, nv, na, nu, size;
  std::mutex mutex;
  // input of the last recorded rollout, kept for its derivatives
  vvBatchInput in = {};
  std::vector<vvReal> state, ctrl, applied, values;
  std::vector<int> numbers;
  std::vector<vvOutputItem> items;

  Batch(nb::object m, int worlds, int nthread, int use)
      : context(nthread), owner(m), model(nb::cast<Model*>(m)), nworld(size_t(worlds)) {
    if (worlds < 1) bad_argument("a batch needs at least one world");
    check(vv_batch_create(context.c, model->m, worlds, vvRolloutUse(use), &b), nullptr, "batch");
    nq = size_t(model->m->nq);
    nv = size_t(model->m->nv);
    na = size_t(model->m->na);
    nu = size_t(model->m->nu);
    size = vv_batch_state_size(model->m);
  }
  ~Batch() {
    vv_batch_free(b);
  }

  static const vvReal* keep(const vvReal* from, size_t n, std::vector<vvReal>& to) {
    if (!from) return nullptr;
    to.assign(from, from + n);
    to.push_back(0);  // never empty: NULL means absent
    return to.data();
  }

  void set_input(int nstep, const std::optional<Input>& state_in, const std::optional<Input>& ctrl_in,
                 const std::optional<Input>& applied_in, const std::vector<int>& numbers_in,
                 const std::optional<Input>& values_in, const Outputs* outputs, int stride) {
    if (nstep < 0 || stride < 0) bad_argument("steps and stride must not be negative");
    size_t rows = ctrl_in && ctrl_in->ndim() == 3 ? ctrl_in->shape(1) : 0;
    size_t applied_rows = applied_in && applied_in->ndim() == 3 ? applied_in->shape(1) : 0;
    const vvReal* s = data_of(state_in, {nworld, size}, "state");
    const vvReal* c = data_of(ctrl_in, {nworld, rows, nu}, "ctrl");
    const vvReal* f = data_of(applied_in, {nworld, applied_rows, nv}, "applied");
    const vvReal* x = data_of(values_in, {nworld, numbers_in.size()}, "values");
    if ((c && rows == 0) || (f && applied_rows == 0)) bad_argument("controls and applied forces need at least one row");
    if (!numbers_in.empty() && !x) bad_argument("numbers need values");
    in = {};
    in.nstep = nstep;
    in.state = keep(s, nworld * size, state);
    in.ctrl = keep(c, nworld * rows * nu, ctrl);
    in.nctrl = int(rows);
    in.applied = keep(f, nworld * applied_rows * nv, applied);
    in.napplied = int(applied_rows);
    numbers = numbers_in;
    in.numbers = numbers.data();
    in.nnumber = int(numbers.size());
    in.values = keep(x, nworld * numbers.size(), values);
    items = outputs ? outputs->items : std::vector<vvOutputItem>();
    in.items = items.data();
    in.nitem = int(items.size());
    in.nout = outputs ? outputs->n : 0;
    in.stride = stride;
  }

  nb::dict rollout(int nstep, std::optional<Input> state_in, std::optional<Input> ctrl_in,
                   std::optional<Input> applied_in, std::vector<int> numbers_in, std::optional<Input> values_in,
                   const Outputs* outputs, int stride, bool record, bool trajectory, bool signature) {
    std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
    if (!lock) bad_argument("this batch is in use by another thread");
    set_input(nstep, state_in, ctrl_in, applied_in, numbers_in, values_in, outputs, stride);
    size_t n = size_t(nstep), rows = size_t(vv_batch_rows(&in)), nout = size_t(in.nout);
    nb::dict result;
    vvBatchOutput out = {};
    result["final"] = make_array({nworld, size}, &out.final);
    if (nout > 0) result["outputs"] = make_array({nworld, rows, nout}, &out.outputs);
    if (trajectory) result["trajectory"] = make_array({nworld, n + 1, 1 + nq + nv + na}, &out.trajectory);
    std::vector<uint64_t> hashes(signature ? nworld * n + 1 : 0);
    if (signature) out.signature = hashes.data();
    std::vector<double> residual(nworld);
    out.residual_max = residual.data();
    vvReport report;
    vvStatus status;
    {
      nb::gil_scoped_release release;
      status = vv_batch_rollout(b, &in, record, &out, &report);
    }
    if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) raise_status(status, &report, "rollout");
    result["converged"] = status == VV_OK;
    result["residual_max"] = residual;
    if (signature) {
      nb::list worlds;
      for (size_t w = 0; w < nworld; w++) {
        nb::list row;
        for (size_t k = 0; k < n; k++) row.append(nb::int_(hashes[w * n + k]));
        worlds.append(row);
      }
      result["signature"] = worlds;
    }
    return result;
  }

  nb::dict vjp(std::optional<Input> outputs_bar, std::optional<Input> q_bar, std::optional<Input> v_bar,
               std::optional<Input> act_bar, std::vector<int> wrt) {
    std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
    if (!lock) bad_argument("this batch is in use by another thread");
    size_t n = size_t(in.nstep), rows = size_t(vv_batch_rows(&in));
    vvBatchSeed seed = {};
    seed.outputs_bar = data_of(outputs_bar, {nworld, rows, size_t(in.nout)}, "outputs_bar");
    seed.q_bar = data_of(q_bar, {nworld, nv}, "qpos_bar");
    seed.v_bar = data_of(v_bar, {nworld, nv}, "qvel_bar");
    seed.act_bar = data_of(act_bar, {nworld, na}, "act_bar");
    nb::dict result;
    vvBatchGradient g = {};
    result["ctrl"] = make_array({nworld, n, nu}, &g.ctrl_bar);
    result["applied"] = make_array({nworld, n, nv}, &g.applied_bar);
    result["qpos0"] = make_array({nworld, nv}, &g.q0_bar);
    result["qvel0"] = make_array({nworld, nv}, &g.v0_bar);
    result["act0"] = make_array({nworld, na}, &g.act0_bar);
    result["numbers"] = make_array({nworld, wrt.size()}, &g.number_bar);
    result["adjoint_norm"] = make_array({nworld, n + 1}, &g.adjoint_norm);
    g.wrt = wrt.data();
    g.nwrt = int(wrt.size());
    vvReport report;
    vvStatus status;
    {
      nb::gil_scoped_release release;
      status = vv_batch_vjp(b, &in, &seed, &g, &report);
    }
    check(status, &report, "vjp");
    return result;
  }

  nb::dict jvp(std::optional<Input> q0, std::optional<Input> v0, std::optional<Input> act0,
               std::optional<Input> ctrl_tan, std::vector<int> wrt, std::optional<Input> number_tan) {
    std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
    if (!lock) bad_argument("this batch is in use by another thread");
    size_t rows = size_t(vv_batch_rows(&in));
    vvBatchTangent t = {};
    t.q0_tan = data_of(q0, {nworld, nv}, "qpos0");
    t.v0_tan = data_of(v0, {nworld, nv}, "qvel0");
    t.act0_tan = data_of(act0, {nworld, na}, "act0");
    t.ctrl_tan = data_of(ctrl_tan, {nworld, size_t(in.nctrl), nu}, "ctrl");
    t.number_tan = data_of(number_tan, {nworld, wrt.size()}, "numbers");
    t.wrt = wrt.data();
    t.nwrt = int(wrt.size());
    nb::dict result;
    vvBatchOutputTangent out = {};
    if (in.nout > 0) result["outputs"] = make_array({nworld, rows, size_t(in.nout)}, &out.outputs_tan);
    result["qpos"] = make_array({nworld, nv}, &out.q_tan);
    result["qvel"] = make_array({nworld, nv}, &out.v_tan);
    result["act"] = make_array({nworld, na}, &out.act_tan);
    vvReport report;
    vvStatus status;
    {
      nb::gil_scoped_release release;
      status = vv_batch_jvp(b, &in, &t, &out, &report);
    }
    check(status, &report, "jvp");
    return result;
  }

  nb::dict jacobian(std::optional<Input> state_in, std::optional<Input> ctrl_in, const Outputs* outputs) {
    std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
    if (!lock) bad_argument("this batch is in use by another thread");
    set_input(1, state_in, ctrl_in, std::nullopt, {}, std::nullopt, outputs, 1);
    size_t nx = 2 * nv + na, ny = size_t(in.nout);
    nb::dict result;
    vvBatchJacobian j = {};
    result["A"] = make_array({nworld, nx, nx}, &j.A);
    result["B"] = make_array({nworld, nx, nu}, &j.B);
    result["C"] = make_array({nworld, ny, nx}, &j.C);
    result["D"] = make_array({nworld, ny, nu}, &j.D);
    vvReport report;
    vvStatus status;
    {
      nb::gil_scoped_release release;
      status = vv_batch_jacobian(b, &in, &j, &report);
    }
    check(status, &report, "jacobian");
    return result;
  }
};

// ---- check and fit --------------------------------------------------------------------------------------------------

nb::dict check_gradient(Model& model, int nstep, std::optional<Input> state, std::optional<Input> ctrl,
                        const Outputs& outputs, Input outputs_bar, std::vector<std::string> blocks,
                        std::vector<int> numbers, double tolerance, uint64_t seed, int nthread) {
  const vvModel* m = model.m;
  Context context(nthread);
  vvState* initial = nullptr;
  size_t rows = ctrl && ctrl->ndim() == 2 ? ctrl->shape(0) : 0;
  vvCheckInput in = {};
  in.rollout.model = m;
  in.rollout.nstep = nstep;
  in.rollout.ctrl = data_of(ctrl, {rows, size_t(m->nu)}, "ctrl");
  in.rollout.nctrl = int(rows);
  in.rollout.items = outputs.items.data();
  in.rollout.nitem = int(outputs.items.size());
  in.rollout.nout = outputs.n;
  in.outputs_bar = data_of(outputs_bar, {size_t(nstep) + 1, size_t(outputs.n)}, "outputs_bar");
  for (const std::string& block : blocks) {
    in.ctrl |= block == "ctrl";
    in.qpos0 |= block == "qpos0";
    in.qvel0 |= block == "qvel0";
    in.act0 |= block == "act0";
  }
  in.numbers = numbers.data();
  in.nnumber = int(numbers.size());
  in.tolerance = tolerance;
  in.seed = seed;
  const vvReal* s = data_of(state, {vv_batch_state_size(m)}, "state");
  if (s) {
    check(vv_state_create(context.c, m, &initial));
    memcpy(initial->block, s, initial->size * sizeof(vvReal));
    in.rollout.initial = initial;
  }
  vvReport report;
  vvCheckResult* r = nullptr;
  vvStatus status;
  {
    nb::gil_scoped_release release;
    status = vv_check(context.c, &in, &r, &report);
  }
  vv_state_free(context.c, initial);
  check(status, &report, "check");
  nb::list directions;
  for (int i = 0; i < r->ndirection; i++) {
    const vvCheckDirection& d = r->direction[i];
    nb::dict entry;
    if (d.number >= 0) {
      entry["name"] = m->names->numbers[d.number].name;
    } else if (d.mixture >= 0) {
      entry["name"] = std::string(d.block) + " mixture " + std::to_string(d.mixture);
    } else {
      entry["name"] = std::string(d.block) + "/" + std::to_string(d.index);
    }
    entry["adjoint"] = d.adjoint;
    entry["difference"] = d.difference;
    entry["error"] = d.error;
    entry["verdict"] = vv_verdict_text(d.verdict);
    entry["resolved"] = d.resolved;
    entry["unchanged"] = d.unchanged;
    entry["step"] = d.step;
    entry["where"] = d.where;
    directions.append(entry);
  }
  nb::dict result;
  result["directions"] = directions;
  result["resolved"] = r->nresolved;
  result["unchanged"] = r->nunchanged;
  result["mismatch"] = r->nmismatch;
  result["loss"] = r->loss;
  result["growth_per_s"] = r->growth_per_s;
  vv_check_free(context.c, r);
  return result;
}

nb::dict fit(const std::string& path, std::optional<std::string> recording, std::optional<std::string> scene_out,
             uint64_t seed, int nthread) {
  Context context(nthread);
  vvReport report;
  vvFitProblem* problem = nullptr;
  check(vv_fit_problem_read(context.c, path.c_str(), recording ? recording->c_str() : nullptr, seed, &problem, &report),
        &report);
  vvFitResult* r = nullptr;
  vvStatus status;
  {
    nb::gil_scoped_release release;
    status = vv_fit_run(problem, nullptr, &r, &report);
  }
  nb::dict result;
  std::vector<double> values;
  if (status == VV_OK) {
    nb::dict numbers, error;
    for (int i = 0; i < r->nnumber; i++) {
      const vvFitNumber& n = r->numbers[i];
      nb::dict entry;
      entry["start"] = n.start;
      entry["value"] = n.value;
      entry["standard_error"] = n.standard_error;
      entry["at_bound"] = n.at_bound;
      entry["unit"] = n.unit;
      numbers[n.name] = entry;
      values.push_back(n.value);
    }
    for (int i = 0; i < r->nsignal; i++) {
      const vvFitSignal& s = r->signals[i];
      nb::dict entry;
      entry["before"] = s.before;
      entry["fitted"] = s.fitted;
      entry["held_out_before"] = s.held_out_before;
      entry["held_out"] = s.held_out;
      error[s.name] = entry;
    }
    result["numbers"] = numbers;
    result["error"] = error;
    result["iterations"] = r->iterations;
    result["seconds"] = r->seconds;
    if (scene_out) status = vv_fit_write_scene(problem, values.data(), scene_out->c_str(), &report);
  }
  vv_fit_result_free(context.c, r);
  vv_fit_problem_free(problem);
  check(status, &report, "fit");
  return result;
}

}  // namespace

NB_MODULE(_core, module) {
  module.attr("REAL") = sizeof(vvReal) == 8 ? "float64" : "float32";
  module.attr("__version__") = std::to_string(VV_VERSION_MAJOR) + "." + std::to_string(VV_VERSION_MINOR) + "." +
                               std::to_string(VV_VERSION_PATCH);
  module.def("set_errors", [](nb::object classes) { error_classes() = classes; });

  nb::class_<Model>(module, "Model")
      .def_static("from_file", &Model::from_file)
      .def_static("from_string", &Model::from_string)
      .def_static("from_binary", &Model::from_binary)
      .def("to_binary", &Model::to_binary)
      .def("numbers", &Model::numbers)
      .def("match", &Model::match)
      .def("value", &Model::value)
      .def("set_values", &Model::set_values)
      .def("quantities", &Model::quantities)
      .def("element_names", &Model::element_names)
      .def("field", &Model::field)
      .def("initial_state", &Model::initial_state)
      .def("state_layout", &Model::state_layout)
      .def("retract", &Model::retract)
      .def("difference", &Model::difference)
      .def("to_ambient", &Model::to_ambient)
      .def_prop_ro("hash", [](const Model& x) { return vv_model_hash(x.m); })
      .def_prop_ro("nq", [](const Model& x) { return x.m->nq; })
      .def_prop_ro("nv", [](const Model& x) { return x.m->nv; })
      .def_prop_ro("na", [](const Model& x) { return x.m->na; })
      .def_prop_ro("nu", [](const Model& x) { return x.m->nu; })
      .def_prop_ro("nbody", [](const Model& x) { return x.m->nbody; })
      .def_prop_ro("ngeom", [](const Model& x) { return x.m->ngeom; })
      .def_prop_ro("nkey", [](const Model& x) { return x.m->nkey; })
      .def_prop_ro("nsensordata", [](const Model& x) { return x.m->nsensordata; })
      .def_prop_ro("timestep", [](const Model& x) { return double(x.m->opt_timestep[0]); });

  nb::class_<Outputs>(module, "Outputs")
      .def(nb::init<const Model&, const std::vector<std::string>&>())
      .def_ro("names", &Outputs::names)
      .def_ro("n", &Outputs::n)
      .def("dims", &Outputs::dims);

  nb::class_<Batch>(module, "Batch")
      .def(nb::init<nb::object, int, int, int>())
      .def_prop_ro("state_size", [](const Batch& x) { return x.size; })
      .def("rollout", &Batch::rollout, "nstep"_a, "state"_a.none(), "ctrl"_a.none(), "applied"_a.none(), "numbers"_a,
           "values"_a.none(), "outputs"_a.none(), "stride"_a, "record"_a, "trajectory"_a, "signature"_a)
      .def("vjp", &Batch::vjp, "outputs"_a.none(), "qpos"_a.none(), "qvel"_a.none(), "act"_a.none(), "wrt"_a)
      .def("jvp", &Batch::jvp, "qpos0"_a.none(), "qvel0"_a.none(), "act0"_a.none(), "ctrl"_a.none(), "wrt"_a,
           "numbers"_a.none())
      .def("jacobian", &Batch::jacobian, "state"_a.none(), "ctrl"_a.none(), "outputs"_a.none());

  module.def("check", &check_gradient, "model"_a, "nstep"_a, "state"_a.none(), "ctrl"_a.none(), "outputs"_a,
             "outputs_bar"_a, "blocks"_a, "numbers"_a, "tolerance"_a, "seed"_a, "nthread"_a);
  module.def("fit", &fit, "path"_a, "recording"_a.none(), "scene_out"_a.none(), "seed"_a, "nthread"_a);
}
