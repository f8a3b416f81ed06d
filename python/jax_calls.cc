// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// jax_calls.cc: rollouts as XLA calls on the CPU: forward, reverse, and forward derivatives (visviva/jax.py).
//
// plan      what does not change from call to call: model, outputs, numbers, threads. Calls name it by an index.
// shapes    every operand has the same leading dimensions, whose product is the number of worlds
// recording a forward call that is to be differentiated keeps its recording under a number, its second result. The
//           reverse call takes it back by that number; one that is gone (called twice, or too many kept) is made again,
//           with the same bits.
// rows      (qpos, qvel, act, outputs) after each step

#include "core.h"

#include <cmath>
#include <list>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace vvpy {
namespace {

constexpr size_t MOST_RECORDINGS = 64;

// The worlds' input and the batch that recorded it.
struct Recording {
  int32_t number = 0;
  uint64_t version = 0;
  size_t nworld = 0;
  vvBatch* batch = nullptr;
  std::vector<vvReal> state, q, ctrl, values;
  vvBatchInput in = {};
};

struct Plan {
  nb::object owner;
  Model* model;
  Outputs outputs;
  std::vector<int> numbers;
  Context context;
  std::mutex mutex;  // of everything below, and of the context
  std::list<Recording> kept;
  std::list<Recording> free;
  int32_t next = 1;

  Plan(nb::object m, const std::vector<std::string>& quantities, const std::vector<int>& wrt, int threads)
      : owner(m), model(nb::cast<Model*>(m)), outputs(*model, quantities), numbers(wrt), context(threads) {
  }
};

std::vector<std::unique_ptr<Plan>>& plans() {
  static auto* all = new std::vector<std::unique_ptr<Plan>>();  // never destroyed: compiled programs may outlive us
  return *all;
}

std::mutex& plans_mutex() {
  static auto* mutex = new std::mutex();
  return *mutex;
}

Plan* find_plan(int64_t index) {
  std::lock_guard<std::mutex> lock(plans_mutex());
  return index >= 0 && size_t(index) < plans().size() ? plans()[size_t(index)].get() : nullptr;
}

ffi::Error failure(const std::string& what) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, "visviva: " + what);
}

ffi::Error failure(vvStatus status, const vvReport& report) {
  return failure(report.message[0] ? report.message : vv_status_text(status));
}

size_t count(const ffi::AnyBuffer& b) {
  return b.element_count();
}

bool is_real(const ffi::AnyBuffer& b) {
  return b.element_type() == ffi::F64 || b.element_type() == ffi::F32;
}

// n entries of a buffer of either precision.
void load(const ffi::AnyBuffer& b, vvReal* to) {
  size_t n = count(b);
  if (b.element_type() == ffi::F64) {
    for (size_t i = 0; i < n; i++) to[i] = vvReal(static_cast<const double*>(b.untyped_data())[i]);
  } else {
    for (size_t i = 0; i < n; i++) to[i] = vvReal(static_cast<const float*>(b.untyped_data())[i]);
  }
}

void store(const vvReal* from, ffi::AnyBuffer b) {
  size_t n = count(b);
  if (b.element_type() == ffi::F64) {
    for (size_t i = 0; i < n; i++) static_cast<double*>(b.untyped_data())[i] = double(from[i]);
  } else {
    for (size_t i = 0; i < n; i++) static_cast<float*>(b.untyped_data())[i] = float(from[i]);
  }
}

// Operands of a rollout.
struct Operands {
  ffi::AnyBuffer qpos, qvel, act, ctrl, values;
};

// Worlds and steps of the operands; false when shapes do not fit the plan.
bool sizes(const Plan& plan, const Operands& x, size_t* nworld, size_t* nstep) {
  const vvModel* m = plan.model->m;
  auto dims = x.ctrl.dimensions();
  if (!is_real(x.qpos) || !is_real(x.qvel) || !is_real(x.act) || !is_real(x.ctrl) || !is_real(x.values)) return false;
  if (dims.size() < 2) return false;
  *nworld = 1;
  for (size_t i = 0; i + 2 < dims.size(); i++) *nworld *= size_t(dims[i]);
  *nstep = size_t(dims[dims.size() - 2]);
  return count(x.qpos) == *nworld * size_t(m->nq) && count(x.qvel) == *nworld * size_t(m->nv) &&
         count(x.act) == *nworld * size_t(m->na) && size_t(dims[dims.size() - 1]) == size_t(m->nu) &&
         count(x.values) == *nworld * plan.numbers.size() && *nstep > 0;
}

// A recording for nworld worlds from the free ones, or a new one; its number is 0.
vvStatus take(Plan& plan, size_t nworld, std::list<Recording>* taken) {
  for (auto it = plan.free.begin(); it != plan.free.end(); ++it) {
    if (it->nworld != nworld) continue;
    taken->splice(taken->begin(), plan.free, it);
    return VV_OK;
  }
  taken->emplace_front();
  Recording& r = taken->front();
  r.nworld = nworld;
  return vv_batch_create(plan.context.c, plan.model->m, int(nworld), VV_ROLLOUT_ALL, &r.batch);
}

void fill(Plan& plan, const Operands& x, size_t nstep, Recording& r) {
  const vvModel* m = plan.model->m;
  size_t size = vv_state_size(m), nq = size_t(m->nq), nv = size_t(m->nv), na = size_t(m->na);
  vvState* s = nullptr;
  r.state.assign(r.nworld * size, 0);
  if (vv_state_create(plan.context.c, m, &s) != VV_OK) return;
  std::vector<vvReal> v(count(x.qvel) + 1), a(count(x.act) + 1);
  r.q.resize(count(x.qpos) + 1);
  load(x.qpos, r.q.data());
  load(x.qvel, v.data());
  load(x.act, a.data());
  for (size_t w = 0; w < r.nworld; w++) {
    memcpy(s->q, r.q.data() + w * nq, nq * sizeof(vvReal));
    memcpy(s->v, v.data() + w * nv, nv * sizeof(vvReal));
    if (na > 0) memcpy(s->act, a.data() + w * na, na * sizeof(vvReal));
    memcpy(r.state.data() + w * size, s->block, size * sizeof(vvReal));
  }
  vv_state_free(plan.context.c, s);
  r.ctrl.resize(count(x.ctrl) + 1);
  r.values.resize(count(x.values) + 1);
  load(x.ctrl, r.ctrl.data());
  load(x.values, r.values.data());
  r.in = {};
  r.in.nstep = int(nstep);
  r.in.state = r.state.data();
  r.in.ctrl = r.ctrl.data();
  r.in.nctrl = int(nstep);
  r.in.numbers = plan.numbers.data();
  r.in.nnumber = int(plan.numbers.size());
  r.in.values = r.values.data();
  r.in.items = plan.outputs.items.data();
  r.in.nitem = int(plan.outputs.items.size());
  r.in.nout = plan.outputs.n;
  r.version = plan.model->version;
}

// Rows 1..N of (worlds, N + 1, n), the first dropped.
std::vector<vvReal> without_first(const std::vector<vvReal>& rows, size_t nworld, size_t nstep, size_t n) {
  std::vector<vvReal> out(nworld * nstep * n + 1);
  for (size_t w = 0; w < nworld; w++) {
    memcpy(out.data() + w * nstep * n, rows.data() + (w * (nstep + 1) + 1) * n, nstep * n * sizeof(vvReal));
  }
  return out;
}

// Simulates; rows 1..N to `out` unless NULL. The plan's mutex is held.
ffi::Error simulate(Plan& plan, const Operands& x, size_t nstep, bool record, Recording& r,
                    ffi::Result<ffi::AnyBuffer>* out) {
  fill(plan, x, nstep, r);
  size_t n = size_t(plan.outputs.n);
  std::vector<vvReal> rows(out ? r.nworld * (nstep + 1) * n + 1 : 0);
  vvBatchOutput o = {};
  if (out) o.outputs = rows.data();
  vvReport report;
  vvStatus status = vv_batch_rollout(r.batch, &r.in, record, &o, &report);
  if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return failure(status, report);
  if (out) store(without_first(rows, r.nworld, nstep, n).data(), **out);
  return ffi::Error::Success();
}

ffi::Error rollout_call(int64_t index, int32_t record, ffi::AnyBuffer qpos, ffi::AnyBuffer qvel, ffi::AnyBuffer act,
                        ffi::AnyBuffer ctrl, ffi::AnyBuffer values, ffi::Result<ffi::AnyBuffer> rows,
                        ffi::Result<ffi::AnyBuffer> number) {
  Plan* plan = find_plan(index);
  Operands x = {qpos, qvel, act, ctrl, values};
  size_t nworld, nstep;
  if (!plan || !sizes(*plan, x, &nworld, &nstep)) return failure("operands do not fit the model");
  if (count(*rows) != nworld * nstep * size_t(plan->outputs.n)) return failure("rows do not fit the operands");
  std::lock_guard<std::mutex> lock(plan->mutex);
  std::list<Recording> mine;
  if (take(*plan, nworld, &mine) != VV_OK) return failure("out of memory");
  Recording& r = mine.front();
  ffi::Error error = simulate(*plan, x, nstep, record != 0, r, &rows);
  r.number = 0;
  if (record && error.success()) {
    r.number = plan->next;
    plan->next = plan->next == INT32_MAX ? 1 : plan->next + 1;
  }
  int32_t* token = static_cast<int32_t*>(number->untyped_data());
  for (size_t i = 0; i < count(*number); i++) token[i] = r.number;
  plan->kept.splice(r.number ? plan->kept.begin() : plan->kept.end(), mine);
  if (!plan->kept.empty() && plan->kept.back().number == 0) {
    plan->free.splice(plan->free.begin(), plan->kept, std::prev(plan->kept.end()));
  }
  if (plan->kept.size() > MOST_RECORDINGS) {
    plan->free.splice(plan->free.begin(), plan->kept, std::prev(plan->kept.end()));
  }
  return error;
}

// The recording of these operands: the one kept under the number, or made again.
ffi::Error recorded(Plan& plan, const Operands& x, size_t nworld, size_t nstep, int32_t number,
                    std::list<Recording>* mine) {
  for (auto it = plan.kept.begin(); it != plan.kept.end(); ++it) {
    if (it->number != number || it->nworld != nworld || it->in.nstep != int(nstep)) continue;
    if (it->version != plan.model->version) break;
    mine->splice(mine->begin(), plan.kept, it);
    return ffi::Error::Success();
  }
  if (take(plan, nworld, mine) != VV_OK) return failure("out of memory");
  return simulate(plan, x, nstep, true, mine->front(), nullptr);
}

ffi::Error reverse_call(int64_t index, ffi::AnyBuffer qpos, ffi::AnyBuffer qvel, ffi::AnyBuffer act,
                        ffi::AnyBuffer ctrl, ffi::AnyBuffer values, ffi::AnyBuffer number, ffi::AnyBuffer rows_bar,
                        ffi::Result<ffi::AnyBuffer> qpos_bar, ffi::Result<ffi::AnyBuffer> qvel_bar,
                        ffi::Result<ffi::AnyBuffer> act_bar, ffi::Result<ffi::AnyBuffer> ctrl_bar,
                        ffi::Result<ffi::AnyBuffer> values_bar) {
  Plan* plan = find_plan(index);
  Operands x = {qpos, qvel, act, ctrl, values};
  size_t nworld, nstep;
  if (!plan || !sizes(*plan, x, &nworld, &nstep) || !is_real(rows_bar)) return failure("operands do not fit the model");
  size_t n = size_t(plan->outputs.n);
  if (count(rows_bar) != nworld * nstep * n) return failure("cotangents do not fit the operands");
  const vvModel* m = plan->model->m;
  size_t nq = size_t(m->nq), nv = size_t(m->nv), na = size_t(m->na), nu = size_t(m->nu), np = plan->numbers.size();
  std::lock_guard<std::mutex> lock(plan->mutex);
  std::list<Recording> mine;
  int32_t token = count(number) > 0 ? static_cast<const int32_t*>(number.untyped_data())[0] : 0;
  ffi::Error error = recorded(*plan, x, nworld, nstep, token, &mine);
  if (error.failure()) return error;
  Recording& r = mine.front();
  std::vector<vvReal> given(nworld * nstep * n + 1), bar(nworld * (nstep + 1) * n + 1);
  load(rows_bar, given.data());
  for (size_t w = 0; w < nworld; w++) {
    memcpy(bar.data() + (w * (nstep + 1) + 1) * n, given.data() + w * nstep * n, nstep * n * sizeof(vvReal));
  }
  std::vector<vvReal> u(nworld * nstep * nu + 1), dq(nworld * nv + 1), v(nworld * nv + 1), a(nworld * na + 1);
  std::vector<vvReal> p(nworld * np + 1), q(nworld * nq + 1);
  vvBatchSeed seed = {};
  seed.outputs_bar = bar.data();
  vvBatchGradient g = {};
  g.ctrl_bar = u.data();
  g.q0_bar = dq.data();
  g.v0_bar = v.data();
  g.act0_bar = a.data();
  g.number_bar = p.data();
  g.wrt = plan->numbers.data();
  g.nwrt = int(np);
  vvReport report;
  vvStatus status = vv_batch_vjp(r.batch, &r.in, &seed, &g, &report);
  if (status == VV_OK) {
    for (size_t w = 0; w < nworld; w++) {
      vv_q_bar_to_ambient(m, r.q.data() + w * nq, dq.data() + w * nv, q.data() + w * nq);
    }
    store(q.data(), *qpos_bar);
    store(v.data(), *qvel_bar);
    store(a.data(), *act_bar);
    store(u.data(), *ctrl_bar);
    store(p.data(), *values_bar);
  }
  r.number = 0;
  plan->free.splice(plan->free.begin(), mine);
  return status == VV_OK ? ffi::Error::Success() : failure(status, report);
}

ffi::Error forward_call(int64_t index, ffi::AnyBuffer qpos, ffi::AnyBuffer qvel, ffi::AnyBuffer act,
                        ffi::AnyBuffer ctrl, ffi::AnyBuffer values, ffi::AnyBuffer qpos_tan, ffi::AnyBuffer qvel_tan,
                        ffi::AnyBuffer act_tan, ffi::AnyBuffer ctrl_tan, ffi::AnyBuffer values_tan,
                        ffi::Result<ffi::AnyBuffer> rows_tan) {
  Plan* plan = find_plan(index);
  Operands x = {qpos, qvel, act, ctrl, values}, t = {qpos_tan, qvel_tan, act_tan, ctrl_tan, values_tan};
  size_t nworld, nstep, nworld2, nstep2;
  if (!plan || !sizes(*plan, x, &nworld, &nstep) || !sizes(*plan, t, &nworld2, &nstep2) || nworld != nworld2 ||
      nstep != nstep2) {
    return failure("operands do not fit the model");
  }
  const vvModel* m = plan->model->m;
  size_t n = size_t(plan->outputs.n), nq = size_t(m->nq), nv = size_t(m->nv);
  std::lock_guard<std::mutex> lock(plan->mutex);
  std::list<Recording> mine;
  ffi::Error error = recorded(*plan, x, nworld, nstep, -1, &mine);
  if (error.failure()) return error;
  Recording& r = mine.front();
  std::vector<vvReal> q(count(qpos_tan) + 1), v(count(qvel_tan) + 1), a(count(act_tan) + 1), u(count(ctrl_tan) + 1);
  std::vector<vvReal> p(count(values_tan) + 1), dq(nworld * nv + 1), rows(nworld * (nstep + 1) * n + 1);
  load(qpos_tan, q.data());
  load(qvel_tan, v.data());
  load(act_tan, a.data());
  load(ctrl_tan, u.data());
  load(values_tan, p.data());
  for (size_t w = 0; w < nworld; w++) {
    vv_q_tan_to_tangent(m, r.q.data() + w * nq, q.data() + w * nq, dq.data() + w * nv);
  }
  vvBatchTangent tangent = {};
  tangent.q0_tan = dq.data();
  tangent.v0_tan = v.data();
  tangent.act0_tan = a.data();
  tangent.ctrl_tan = u.data();
  tangent.number_tan = p.data();
  tangent.wrt = plan->numbers.data();
  tangent.nwrt = int(plan->numbers.size());
  vvBatchOutputTangent out = {};
  out.outputs_tan = rows.data();
  vvReport report;
  vvStatus status = vv_batch_jvp(r.batch, &r.in, &tangent, &out, &report);
  if (status == VV_OK) store(without_first(rows, nworld, nstep, n).data(), *rows_tan);
  r.number = 0;
  plan->free.splice(plan->free.begin(), mine);
  return status == VV_OK ? ffi::Error::Success() : failure(status, report);
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(vv_jax_rollout, rollout_call,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("plan")
                                  .Attr<int32_t>("record")
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>());

XLA_FFI_DEFINE_HANDLER_SYMBOL(vv_jax_reverse, reverse_call,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("plan")
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>());

XLA_FFI_DEFINE_HANDLER_SYMBOL(vv_jax_forward, forward_call,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("plan")
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>());

template <typename T>
nb::capsule as_capsule(T* handler) {
  return nb::capsule(reinterpret_cast<void*>(handler));
}

int64_t new_plan(nb::object model, const std::vector<std::string>& quantities, const std::vector<int>& numbers,
                 int threads) {
  auto plan = std::make_unique<Plan>(model, quantities, numbers, threads);
  std::lock_guard<std::mutex> lock(plans_mutex());
  plans().push_back(std::move(plan));
  return int64_t(plans().size()) - 1;
}

}  // namespace

void add_jax_calls(nb::module_& module) {
  module.def("jax_plan", &new_plan);
  module.def("jax_plan_width", [](int64_t plan) { return find_plan(plan)->outputs.n; });
  nb::dict calls;
  calls["vv_rollout"] = as_capsule(&vv_jax_rollout);
  calls["vv_reverse"] = as_capsule(&vv_jax_reverse);
  calls["vv_forward"] = as_capsule(&vv_jax_forward);
  module.attr("jax_calls") = calls;
}

}  // namespace vvpy
