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

#include "core.h"

using namespace vvpy;
using namespace nb::literals;

namespace {

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
    size = vv_state_size(model->m);
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
    if (status != VV_ERROR_NOT_CONVERGED) check(status, &report, "jacobian");
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
  const vvReal* s = data_of(state, {vv_state_size(m)}, "state");
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
#ifdef VV_JAX
  nb::set_leak_warnings(false);  // plans live as long as the process, since compiled programs name them
  add_jax_calls(module);
#endif
  module.def("fit", &fit, "path"_a, "recording"_a.none(), "scene_out"_a.none(), "seed"_a, "nthread"_a);
}
