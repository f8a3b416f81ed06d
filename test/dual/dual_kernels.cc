// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dual_kernels.cc: the engine's kernels compiled as they stand with vvReal a dual number. Compiled by test_dual.sh with
// -include dual.h -DVV_REAL=Dual -DVV_DUAL.

#include <cstring>
#include <vector>

#include "dual_call.h"
#include "rigid/derive_kernel.c"
#include "rigid/dynamics_kernel.c"
#include "rigid/force_kernel.c"
#include "rigid/kinematics_kernel.c"

namespace {

using Duals = std::vector<Dual>;

Duals joined(const double* value, const double* tangent, int n) {
  Duals r(static_cast<size_t>(n) + 1);
  for (int i = 0; i < n; i++) r[i] = Dual(value ? value[i] : 0, tangent ? tangent[i] : 0);
  return r;
}

// The model with its reals in `block`: each real pointer keeps its place in the block.
vvModel dual_model(const DualCall* c, Duals* block) {
  vvModel m;
  std::memcpy(static_cast<void*>(&m), c->model, sizeof m);
  const double* base = reinterpret_cast<const double*>(m.reals);
  int n = static_cast<int>(m.section_begin[VV_SECTION_COUNT]);
  *block = joined(base, c->model_tan, n);
  char* bytes = reinterpret_cast<char*>(&m);
  for (const size_t* offset = c->offsets; *offset != SIZE_MAX; offset++) {
    const double* p;
    std::memcpy(&p, bytes + *offset, sizeof p);
    Dual* q = block->data() + (p - base);
    std::memcpy(bytes + *offset, &q, sizeof q);
  }
  m.reals = block->data();
  return m;
}

}  // namespace

void dual_run(DualCall* c) {
  Duals block, in[DUAL_ARRAYS], out[DUAL_ARRAYS];
  vvModel m = dual_model(c, &block);
  for (int i = 0; i < c->nin; i++) in[i] = joined(c->in[i].value, c->in[i].tangent, c->in[i].size);
  for (int i = 0; i < c->nout; i++) out[i] = joined(nullptr, nullptr, c->out[i].size);
  Duals ref = joined(c->ref, nullptr, 3 * m.ntree), a = joined(c->a, nullptr, m.nv), w = joined(c->w, nullptr, m.nv);
  Duals d = joined(c->d, nullptr, m.nv), a2 = joined(c->a2, nullptr, m.nv), force(6 * m.nbody + 1);
  const vvContactFeature* contacts = static_cast<const vvContactFeature*>(c->contacts);
  const vvRowFeature* limits = static_cast<const vvRowFeature*>(c->limits);
  auto I = [&](int i) { return in[i].data(); };
  auto O = [&](int i) { return out[i].data(); };
  vvRigidPose pose = {I(0), I(1), I(2), I(3)};
  if (c->kernel == DUAL_KINEMATICS) {
    vvRigidPose made = {O(0), O(1), O(2), O(3)};
    vv_rigid_kinematics(&m, I(0), ref.data(), &made);
  } else if (c->kernel == DUAL_FORCE) {
    vv_rigid_force(&m, I(0), I(1), I(2), I(3), I(4), O(0));
  } else if (c->kernel == DUAL_INTEGRATE) {
    vv_rigid_integrate(&m, I(0), I(1), O(0));
  } else if (c->kernel == DUAL_WEAK) {
    vvRigidMotion motion = {O(1), O(2), O(3), O(4)};
    O(0)
    [0] = vv_rigid_weak(&m, ref.data(), &pose, I(4), a.data(), w.data(), I(5), I(6), c->nwrench, contacts, c->ncontact,
                        limits, c->nlimit, I(7), &motion);
  } else if (c->kernel == DUAL_RESIDUAL) {
    Duals V(6 * m.nbody), A(6 * m.nbody), G(6 * m.nbody), W(6 * m.nbody);
    vvRigidMotion motion = {V.data(), A.data(), G.data(), W.data()};
    vv_rigid_residual(&m, ref.data(), &pose, I(4), a.data(), I(5), I(6), c->nwrench, contacts, c->ncontact, limits,
                      c->nlimit, I(7), &motion, force.data(), O(0));
  } else if (c->kernel == DUAL_DAMPING) {
    O(0)[0] = vv_rigid_damping_weak(&m, ref.data(), &pose, d.data(), a2.data(), w.data(), O(1), O(2));
  } else if (c->kernel == DUAL_POSES) {
    vvRigidDerivePoses p = {O(0), O(1), O(2), O(3), O(4), O(5), O(6), O(7), O(8), O(9), O(10), O(11), O(12)};
    vv_rigid_derive_poses(&m, &p);
  }
  for (int i = 0; i < c->nout; i++) {
    for (int k = 0; k < c->out[i].size; k++) {
      c->out[i].value[k] = out[i][k].v;
      c->out[i].tangent[k] = out[i][k].t;
    }
  }
}
