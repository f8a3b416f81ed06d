// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// query.c: answers from a workspace that vv_rigid_evaluate filled.

#include "visviva/query.h"

#include <string.h>

#include "rigid/work.h"
#include "visviva/output.h"

// ---- poses ----------------------------------------------------------------------------------------------------------

// Frame (pos, quat) fixed to `body`, local arrays at index i; NULL: the body's own.
static void write_pose(const vvRigidWork* w, int body, const vvReal* lpos, const vvReal* lquat, int i, vvReal* pos,
                       vvReal* quat) {
  vvVec3 x = vv_vec3_load(w->xpos, 3 * body);
  vvQuat Q = vv_quat_load(w->xquat, 4 * body);
  if (lpos != NULL) {
    x = vv_vec3_add(x, vv_quat_rotate(Q, vv_vec3_load(lpos, 3 * i)));
    Q = vv_quat_mul(Q, vv_quat_load(lquat, 4 * i));
  }
  if (pos != NULL) vv_vec3_store(pos, 0, x);
  if (quat != NULL) vv_quat_store(quat, 0, Q);
}

vvStatus vv_query_body_pose(const vvModel* m, const vvRigidWork* work, int body, vvReal pos[3], vvReal quat[4]) {
  if (m == NULL || work == NULL || body < 0 || body >= m->nbody) return VV_ERROR_ARGUMENT;
  write_pose(work, body, NULL, NULL, 0, pos, quat);
  return VV_OK;
}

vvStatus vv_query_geom_pose(const vvModel* m, const vvRigidWork* work, int geom, vvReal pos[3], vvReal quat[4]) {
  if (m == NULL || work == NULL || geom < 0 || geom >= m->ngeom) return VV_ERROR_ARGUMENT;
  write_pose(work, m->geom_body[geom], m->geom_lpos, m->geom_lquat, geom, pos, quat);
  return VV_OK;
}

vvStatus vv_query_site_pose(const vvModel* m, const vvRigidWork* work, int site, vvReal pos[3], vvReal quat[4]) {
  if (m == NULL || work == NULL || site < 0 || site >= m->nsite) return VV_ERROR_ARGUMENT;
  write_pose(work, m->site_body[site], m->site_lpos, m->site_lquat, site, pos, quat);
  return VV_OK;
}

// ---- contacts -------------------------------------------------------------------------------------------------------

// a n + b t1 + c t2
static void write_framed(const vvContactPoint* p, vvReal a, vvReal b, vvReal c, vvReal* out) {
  vvVec3 r = vv_vec3_scale(a, p->normal);
  r = vv_vec3_muladd(r, b, p->tangent1);
  vv_vec3_store(out, 0, vv_vec3_muladd(r, c, p->tangent2));
}

vvStatus vv_query_contact(const vvRigidWork* work, int contact, vvContactInfo* info) {
  if (work == NULL || info == NULL || contact < 0 || contact >= work->ncontact) return VV_ERROR_ARGUMENT;
  const vvContactFeature* feature = &work->contacts[contact];
  const vvContactPoint* p = &work->points[contact];
  const vvRigidContact* c = &work->rows[contact];
  vvReal f[VV_MAX_DIM] = {0};
  for (int k = 0; k < c->dim; k++) f[k] = c->f[k];
  info->geom1 = feature->geom1;
  info->geom2 = feature->geom2;
  info->dim = feature->dim;
  info->gap = p->gap;
  vv_vec3_store(info->point, 0, p->point);
  vv_vec3_store(info->normal, 0, p->normal);
  write_framed(p, f[0], f[1], f[2], info->force);
  write_framed(p, f[3], f[4], f[5], info->torque);
  return VV_OK;
}

// ---- dynamics -------------------------------------------------------------------------------------------------------

void vv_query_mass_matrix(const vvModel* m, const vvRigidWork* work, vvReal* M) {
  memset(M, 0, sizeof(vvReal) * (size_t)m->nv * (size_t)m->nv);
  for (int k = 0; k < m->ntree; k++) {
    int first = work->mass->first[k], n = vv_blocks_rows(work->mass, k);
    for (int i = 0; i < n; i++) {
      const vvReal* row = vv_blocks_row(work->mass, work->M, k, i);
      memcpy(M + (first + i) * m->nv + first, row, sizeof(vvReal) * (size_t)n);
    }
  }
}

vvStatus vv_query_inverse_dynamics(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* a,
                                   const vvReal* ctrl, const vvReal* wrench, vvRigidWork* work, vvReal* applied) {
  if (m == NULL || q == NULL || v == NULL || a == NULL || work == NULL || applied == NULL) return VV_ERROR_ARGUMENT;
  vvStatus status = vv_rigid_evaluate(m, q, v, NULL, ctrl, NULL, wrench, a, work);
  if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return status;
  vvRigidPose pose = vv_rigid_work_pose(work);
  vvRigidMotion motion = {work->V, work->composite, work->G, NULL};
  vv_rigid_residual(m, work->ref, &pose, v, a, work->tau, wrench, wrench == NULL ? 0 : m->nbody, work->contacts,
                    work->ncontact, work->limits, work->nlimit, q, &motion, work->F, applied);
  return VV_OK;
}

void vv_query_energy(const vvModel* m, const vvReal* q, const vvReal* v, vvRigidWork* work, vvReal* potential,
                     vvReal* kinetic) {
  vvOutputItem items[2] = {{.kind = VV_OUTPUT_ENERGYPOTENTIAL, .ref = -1, .sensor = -1, .dim = 1},
                           {.kind = VV_OUTPUT_ENERGYKINETIC, .ref = -1, .sensor = -1, .adr = 1, .dim = 1}};
  vvReal out[2];
  vv_output_evaluate(m, q, v, NULL, NULL, items, 2, work, out);
  if (potential != NULL) *potential = out[0];
  if (kinetic != NULL) *kinetic = out[1];
}

vvStatus vv_query_point_jacobian(const vvModel* m, const vvRigidWork* work, int body, const vvReal point[3],
                                 vvReal* translation, vvReal* rotation) {
  if (m == NULL || work == NULL || point == NULL || body < 0 || body >= m->nbody) return VV_ERROR_ARGUMENT;
  int nv = m->nv;
  if (translation != NULL) memset(translation, 0, 3 * (size_t)nv * sizeof(vvReal));
  if (rotation != NULL) memset(rotation, 0, 3 * (size_t)nv * sizeof(vvReal));
  if (m->body_tree[body] < 0) return VV_OK;
  vvVec3 r = vv_vec3_sub(vv_vec3_load(point, 0), vv_vec3_load(work->ref, 3 * m->body_tree[body]));
  for (int b = body; b > 0; b = m->body_parent[b]) {
    for (int d = m->body_dof[b]; d < m->body_dof[b] + m->body_ndof[b]; d++) {
      vvVec3 o = vv_vec3_load(work->S, 6 * d);
      vvVec3 u = vv_vec3_add(vv_vec3_load(work->S, 6 * d + 3), vv_vec3_cross(o, r));
      if (translation != NULL) {
        translation[d] = u.x;
        translation[nv + d] = u.y;
        translation[2 * nv + d] = u.z;
      }
      if (rotation != NULL) {
        rotation[d] = o.x;
        rotation[nv + d] = o.y;
        rotation[2 * nv + d] = o.z;
      }
    }
  }
  return VV_OK;
}
