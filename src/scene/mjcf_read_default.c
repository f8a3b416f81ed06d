// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_read_default.c: compiler, option and default. A class starts as a copy of its parent as far as that is read;
// its own statements are read before the classes nested in it.

#include <libxml/parser.h>
#include <string.h>

#include "scene/mjcf_xml.h"

vvStatus vv_mjcf_read_compiler(vvMjcf* r, xmlNode* node) {
  static const vvKeyword angles[] = {{"radian", 0}, {"degree", 1}, {NULL, 0}};
  static const vvKeyword coordinates[] = {{"local", 0}, {"global", 1}, {NULL, 0}};
  vvSpecCompiler* c = &r->spec->compiler;
  vvStatus status = vv_mjcf_attributes(r, node, vv_attr_compiler(), c, NULL, 0);
  int value = 0;
  bool found = false;
  if (status == VV_OK) status = vv_mjcf_keyword(r, node, "angle", angles, &value, &found);
  if (status != VV_OK) return status;
  if (found) c->degree = value == 1;
  if ((status = vv_mjcf_keyword(r, node, "coordinate", coordinates, &value, &found)) != VV_OK) return status;
  if (found && value == 1)
    return vv_mjcf_error(r, node, "coordinate=\"global\" is no longer part of the format; use \"local\"");
  const char* sequence;
  if ((status = vv_mjcf_text(r, node, "eulerseq", &sequence)) != VV_OK) return status;
  if (sequence) {
    if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
      return vv_mjcf_error(r, node, "compiler attribute \"eulerseq\" is \"%.20s\"; it needs three of x, y, z, X, Y, Z",
                           sequence);
    memcpy(c->eulerseq, sequence, 4);
  }
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    static const char* const known[] = {"lengthrange", NULL};
    if (!vv_mjcf_is(n, "lengthrange")) return vv_mjcf_unknown_element(r, n, known);
    if ((status = vv_mjcf_pass_over(r, n)) != VV_OK) return status;
  }
  return VV_OK;
}

static vvStatus read_flags(vvMjcf* r, xmlNode* node) {
  static const vvKeyword onoff[] = {{"disable", 0}, {"enable", 1}, {NULL, 0}};
  // fwdinv and invdiscrete concern inverse dynamics, the others speed and what happens after errors
  static const char* const harmless[] = {"autoreset", "nativeccd", "island", "multiccd", "fwdinv", "invdiscrete", NULL};
  static const char* const refused[] = {"override", "sleep", "diagexact", NULL};
  vvSpecOption* o = &r->spec->option;
  for (const xmlAttr* a = node->properties; a; a = a->next) {
    const char* name = (const char*)a->name;
    int value = 0, known = 0;
    bool found = false;
    vvStatus status = vv_mjcf_keyword(r, node, name, onoff, &value, &found);
    if (status != VV_OK) return status;
    for (const vvKeyword* k = vv_keys_disable; k->key; k++) {
      if (strcmp(k->key, name)) continue;
      o->disable = value ? o->disable & ~k->value : o->disable | k->value;
      known = 1;
    }
    if (!strcmp(name, "energy")) {
      o->energy = value == 1;
      known = 1;
    }
    for (int i = 0; harmless[i]; i++) known |= !strcmp(harmless[i], name);
    for (int i = 0; refused[i]; i++) {
      if (strcmp(refused[i], name)) continue;
      known = 1;
      if (value)
        return vv_mjcf_unsupported(r, node, "flag \"%s\" is not supported yet; remove it or set it to \"disable\"",
                                   name);
    }
    if (!known) return vv_mjcf_error(r, node, "flag has no attribute \"%.40s\"; remove it or correct its name", name);
  }
  return vv_mjcf_no_children(r, node);
}

static vvStatus read_groups(vvMjcf* r, xmlNode* node, vvSpecOption* o) {
  int groups[31], count = 0;
  vvStatus status = vv_mjcf_ints(r, node, "actuatorgroupdisable", 1, 31, groups, &count);
  if (status != VV_OK) return status;
  if (count) o->groups_disabled = 0;
  for (int i = 0; i < count; i++) {
    if (groups[i] < 0 || groups[i] > 30)
      return vv_mjcf_error(r, node, "option actuatorgroupdisable names group %d; groups are 0 to 30", groups[i]);
    o->groups_disabled |= 1 << groups[i];
  }
  return VV_OK;
}

vvStatus vv_mjcf_read_option(vvMjcf* r, xmlNode* node) {
  vvSpecOption* o = &r->spec->option;
  vvStatus status = vv_mjcf_attributes(r, node, vv_attr_option(), o, NULL, 0);
  if (status == VV_OK) status = read_groups(r, node, o);
  if (status != VV_OK) return status;
  if (xmlHasProp(node, (const xmlChar*)"iterations")) o->iterations_stated = true;
  if (xmlHasProp(node, (const xmlChar*)"density") || xmlHasProp(node, (const xmlChar*)"viscosity")) o->fluid = true;
  if (o->density < 0 || o->viscosity < 0)
    return vv_mjcf_error(r, node, "option density is %g, viscosity %g; they must be 0 or more", o->density,
                         o->viscosity);
  if (!(o->timestep > 0)) return vv_mjcf_error(r, node, "option timestep is %g; it must be positive", o->timestep);
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    static const char* const known[] = {"flag", NULL};
    if (!vv_mjcf_is(n, "flag")) return vv_mjcf_unknown_element(r, n, known);
    if ((status = read_flags(r, n)) != VV_OK) return status;
  }
  return VV_OK;
}

// One element of a class. Looks of things that are passed over are passed over too.
static vvStatus read_prototype(vvMjcf* r, xmlNode* node, int id) {
  static const char* const known[] = {"joint",    "geom",     "site",     "motor",       "general",     "mesh",
                                      "material", "camera",   "light",    "pair",        "equality",    "tendon",
                                      "position", "velocity", "damper",   "intvelocity", "orientation", "pid",
                                      "cylinder", "muscle",   "adhesion", "dcmotor",     "default",     NULL};
  static const char* const passed[] = {"mesh", "material", "camera", "light", "pair", NULL};
  vvSpecClass* c = r->spec->classes[id];
  int16_t origin = (int16_t)id;
  for (const xmlAttr* a = node->properties; a; a = a->next)
    if (!strcmp((const char*)a->name, "name") || !strcmp((const char*)a->name, "class"))
      return vv_mjcf_error(r, node, "%s in <default> may not have \"%s\"; remove it", (const char*)node->name,
                           (const char*)a->name);
  for (int i = 0; passed[i]; i++)
    if (vv_mjcf_is(node, passed[i])) return vv_mjcf_pass_over(r, node);
  vvStatus status = vv_mjcf_no_children(r, node);
  if (status != VV_OK) return status;
  if (vv_mjcf_is(node, "geom") || vv_mjcf_is(node, "site")) status = vv_mjcf_check_type(r, node);
  if (status != VV_OK) return status;
  if (vv_mjcf_is(node, "joint")) return vv_mjcf_attributes(r, node, vv_attr_joint(), &c->joint, &c->joint.head, origin);
  if (vv_mjcf_is(node, "geom")) return vv_mjcf_attributes(r, node, vv_attr_geom(), &c->geom, &c->geom.head, origin);
  if (vv_mjcf_is(node, "equality"))
    return vv_mjcf_attributes(r, node, vv_attr_equality(-1), &c->equality, &c->equality.head, origin);
  if (vv_mjcf_is(node, "site")) return vv_mjcf_attributes(r, node, vv_attr_site(), &c->site, &c->site.head, origin);
  if (vv_mjcf_is(node, "tendon")) {
    status = vv_mjcf_attributes(r, node, vv_attr_tendon(), &c->tendon, &c->tendon.head, origin);
    vv_mjcf_tendon_length(node, c->tendon.springlength);
    return status;
  }
  for (int k = 0; vv_keys_actuator[k].key; k++)
    if (vv_mjcf_is(node, vv_keys_actuator[k].key)) return vv_mjcf_actuator_attributes(r, node, &c->actuator, origin);
  for (int i = 0; known[i]; i++)
    if (vv_mjcf_is(node, known[i]))
      return vv_mjcf_unsupported(r, node, "actuator \"%s\" is not supported yet; use another kind", known[i]);
  return vv_mjcf_unknown_element(r, node, known);
}

vvStatus vv_mjcf_read_default(vvMjcf* r, xmlNode* node, int parent) {
  const char* name;
  vvStatus status = vv_mjcf_text(r, node, "class", &name);
  if (status != VV_OK) return status;
  for (const xmlAttr* a = node->properties; a; a = a->next)
    if (strcmp((const char*)a->name, "class"))
      return vv_mjcf_error(r, node, "default has no attribute \"%.40s\"; it has \"class\"", (const char*)a->name);
  int id = 0;
  if (parent >= 0) {
    if (!name || !*name) return vv_mjcf_error(r, node, "a nested default class needs a name; add class=\"...\"");
    if (vv_spec_find_class(r->spec, name) >= 0)
      return vv_mjcf_error(r, node, "default class \"%.60s\" exists already; use another name", name);
    id = vv_spec_add_class(r->spec, name, parent);
    if (id < 0)
      return r->spec->nclass >= INT16_MAX ? vv_mjcf_error(r, node, "more than %d default classes", INT16_MAX)
                                          : vv_mjcf_no_memory(r);
  } else if (name && *name && strcmp(name, "main")) {
    return vv_mjcf_error(r, node, "the outermost default class is \"main\"; nest class \"%.60s\" inside it", name);
  }
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n))
    if (!vv_mjcf_is(n, "default") && (status = read_prototype(r, n, id)) != VV_OK) return status;
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n))
    if (vv_mjcf_is(n, "default") && (status = vv_mjcf_read_default(r, n, id)) != VV_OK) return status;
  return VV_OK;
}
