// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_known.c: elements that are passed over because they only concern looks, memory or remarks. Their attributes and
// children are checked by name all the same: a misspelled word is an error everywhere.

#include <stdio.h>
#include <string.h>

#include "scene/mjcf_xml.h"

typedef struct vvKnown {
  const char* name;
  const char* attributes;  // separated by blanks
  const char* children;
} vvKnown;

static const vvKnown known[] = {
    {"size",
     "memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon "
     "nuser_actuator nuser_sensor",
     ""},
    {"statistic", "meaninertia meanmass meansize extent center", ""},
    {"visual", "", "global quality headlight map scale rgba"},
    {"global",
     "cameraid orthographic fovy ipd azimuth elevation linewidth glow offwidth offheight realtime ellipsoidinertia "
     "bvactive",
     ""},
    {"quality", "shadowsize offsamples numslices numstacks numquads", ""},
    {"headlight", "ambient diffuse specular active", ""},
    {"map",
     "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip shadowscale actuatortendon",
     ""},
    {"scale",
     "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength jointwidth actuatorlength "
     "actuatorwidth framelength framewidth constraint slidercrank frustum",
     ""},
    {"rgba",
     "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light selectpoint connect "
     "contactpoint contactforce contactfriction contacttorque contactgap rangefinder constraint slidercrank "
     "crankbroken "
     "frustum bv bvactive",
     ""},
    {"custom", "", "numeric text tuple"},
    {"numeric", "name size data", ""},
    {"text", "name data", ""},
    {"tuple", "name", "element"},
    {"element", "objtype objname prm", ""},
    {"lengthrange", "mode useexisting uselimit accel maxforce timeconst timestep inttotal interval tolrange", ""},
    {"asset", "", "mesh hfield texture material"},
    {"mesh",
     "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal maxhullvert inertia "
     "builtin params material",
     ""},
    {"hfield", "name content_type file nrow ncol size elevation", ""},
    {"texture",
     "name type colorspace content_type file gridsize gridlayout fileright fileleft fileup filedown filefront fileback "
     "builtin rgb1 rgb2 mark markrgb random width height hflip vflip nchannel",
     ""},
    {"material",
     "name class texture texrepeat texuniform emission specular shininess reflectance metallic roughness rgba",
     "layer"},
    {"layer", "texture role", ""},
    {"camera",
     "name class projection fovy ipd resolution output pos quat axisangle xyaxes zaxis euler mode target focal "
     "focalpixel "
     "principal principalpixel sensorsize user",
     ""},
    {"light",
     "name class directional type castshadow active pos dir bulbradius intensity range attenuation cutoff softness "
     "exponent ambient diffuse specular mode target texture",
     ""},
    {"pair", "condim friction solref solreffriction solimp gap margin adhesion", ""},
    {"equality", "active solref solimp", ""},
    {"tendon",
     "group limited range solreflimit solimplimit solreffriction solimpfriction frictionloss springlength width "
     "material "
     "margin stiffness damping rgba user",
     ""},
    {NULL, NULL, NULL}};

// Cuts a list of words at its blanks into `words`, ended by NULL; `buffer` holds the text.
static void split(const char* list, char* buffer, size_t size, const char** words, int most) {
  int n = 0;
  snprintf(buffer, size, "%s", list);
  for (char* p = buffer; *p && n < most;) {
    words[n++] = p;
    p += strcspn(p, " ");
    if (*p) *p++ = 0;
  }
  words[n] = NULL;
}

static bool contains(const char* const* words, const char* word) {
  for (; *words; words++)
    if (!strcmp(*words, word)) return true;
  return false;
}

static vvStatus check(vvMjcf* r, xmlNode* node, int depth) {
  const vvKnown* k = known;
  while (k->name && !vv_mjcf_is(node, k->name)) k++;
  if (!k->name || depth > 3) return vv_mjcf_error(r, node, "unknown element \"%.40s\"", (const char*)node->name);
  char buffer[640];
  const char* words[48];
  split(k->attributes, buffer, sizeof buffer, words, 47);
  for (const xmlAttr* a = node->properties; a; a = a->next) {
    const char* name = (const char*)a->name;
    if (contains(words, name)) continue;
    const char* near = vv_mjcf_nearest(name, words);
    return vv_mjcf_error(r, node, "%s has no attribute \"%.40s\"; %s%s", k->name, name,
                         near ? "did you mean " : "remove it or correct its name", near ? near : "");
  }
  split(k->children, buffer, sizeof buffer, words, 47);
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    if (!contains(words, (const char*)n->name)) return vv_mjcf_unknown_element(r, n, words);
    vvStatus status = check(r, n, depth + 1);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

vvStatus vv_mjcf_pass_over(vvMjcf* r, xmlNode* node) {
  return check(r, node, 0);
}
