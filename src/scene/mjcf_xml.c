// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_xml.c: XML documents of a scene. Every <include> is parsed up front and hangs on its node; iteration steps into
// it and back out, so that the rest of the reader does not see includes. A file is looked for beside the main file
// first, then beside the file that includes it; each file may be included once, so there are no cycles.
//
// hostile input   no network, no document type declarations (hence no entities), files up to 64 MiB, libxml2's own
//                 bounds on depth (256) and sizes, includes nested up to 32 deep

#define _XOPEN_SOURCE 700  // realpath

#include "scene/mjcf_xml.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (64u << 20)
#define MAX_INCLUDE_DEPTH 32

typedef struct vvMjcfDoc {
  struct vvMjcfDoc* next;
  xmlDoc* doc;
  xmlNode* include;  // the node that includes it, NULL for the main file
  const char* path;  // as shown in messages
  const char* real;  // resolved, for finding repeats
} vvMjcfDoc;

static vvMjcfDoc* doc_of(const xmlNode* node) {
  return node->doc ? (vvMjcfDoc*)node->doc->_private : NULL;
}

int vv_mjcf_line(const xmlNode* node) {
  return (int)xmlGetLineNo(node);
}

const char* vv_mjcf_file(const xmlNode* node) {
  vvMjcfDoc* d = doc_of(node);
  return d ? d->path : "";
}

static vvStatus report_at(vvMjcf* r, const xmlNode* node, vvStatus status, const char* format, va_list list) {
  char text[200];
  vsnprintf(text, sizeof text, format, list);
  vv_one_line(text);
  return vv_report_set(r->report, status, "%s:%d: %s", vv_mjcf_file(node), vv_mjcf_line(node), text);
}

vvStatus vv_mjcf_error(vvMjcf* r, const xmlNode* node, const char* format, ...) {
  va_list list;
  va_start(list, format);
  vvStatus status = report_at(r, node, VV_ERROR_FILE, format, list);
  va_end(list);
  return status;
}

vvStatus vv_mjcf_unsupported(vvMjcf* r, const xmlNode* node, const char* format, ...) {
  va_list list;
  va_start(list, format);
  vvStatus status = report_at(r, node, VV_ERROR_UNSUPPORTED, format, list);
  va_end(list);
  return status;
}

vvStatus vv_mjcf_no_memory(vvMjcf* r) {
  return vv_report_set(r->report, VV_ERROR_MEMORY, "%s: out of memory", r->path);
}

bool vv_mjcf_is(const xmlNode* node, const char* name) {
  return !strcmp((const char*)node->name, name);
}

// ---- files ----------------------------------------------------------------------------------------------------------

// Reads a whole file into memory of the context; *bytes as allocated, *length of the text.
static vvStatus read_file(vvMjcf* r, const char* path, const xmlNode* from, char** text, size_t* length) {
  *text = NULL;
  FILE* file = fopen(path, "rb");
  if (!file) {
    if (from) return vv_mjcf_error(r, from, "cannot open the included file \"%.100s\"; check its name and place", path);
    return vv_report_set(r->report, VV_ERROR_FILE, "%s: cannot be opened; check the path", path);
  }
  size_t have = 0, room = 1 << 16;
  char* buffer = vv_alloc(r->context, room);
  vvStatus status = buffer ? VV_OK : vv_mjcf_no_memory(r);
  while (status == VV_OK) {
    have += fread(buffer + have, 1, room - have, file);
    if (have < room) break;
    if (room >= MAX_FILE_BYTES) {
      status = vv_report_set(r->report, VV_ERROR_FILE, "%s: larger than 64 MiB; split the scene", path);
      break;
    }
    char* grown = vv_context_realloc(r->context, buffer, room, 2 * room);
    if (!grown) {
      status = vv_mjcf_no_memory(r);
      break;
    }
    buffer = grown;
    room *= 2;
  }
  if (status == VV_OK && ferror(file))
    status = vv_report_set(r->report, VV_ERROR_FILE, "%s: cannot be read; a scene is a text file", path);
  fclose(file);
  if (status == VV_OK) {
    char* exact = vv_alloc(r->context, have + 1);
    if (exact) {
      memcpy(exact, buffer, have);
      *text = exact;
      *length = have;
    } else {
      status = vv_mjcf_no_memory(r);
    }
  }
  vv_free(r->context, buffer, room);
  return status;
}

// Refuses document type declarations as soon as they are seen, before any entity can be expanded.
static void stop_at_doctype(void* user, const xmlChar* name, const xmlChar* external, const xmlChar* system) {
  (void)name, (void)external, (void)system;
  xmlParserCtxt* parser = user;
  parser->_private = parser;  // seen
  xmlStopParser(parser);
}

// Takes what libxml2 would print of errors outside the parser (encodings); the parser keeps its last error itself.
#if LIBXML_VERSION >= 21200
static void stay_silent(void* user, const xmlError* error) {
#else
static void stay_silent(void* user, xmlError* error) {
#endif
  (void)user, (void)error;
}

// Cuts a libxml2 message to its first line.
static void first_line(const char* message, char* line, size_t size) {
  snprintf(line, size, "%s", message ? message : "not XML");
  line[strcspn(line, "\r\n")] = 0;
  vv_one_line(line);
}

static vvStatus parse(vvMjcf* r, const char* text, size_t length, const char* path, xmlDoc** doc) {
  *doc = NULL;
  if (length == 0)
    return vv_report_set(r->report, VV_ERROR_FILE, "%s:1: empty file; a scene begins with <mujoco>", path);
  if (length > MAX_FILE_BYTES) return vv_report_set(r->report, VV_ERROR_FILE, "%s: larger than 64 MiB", path);
  xmlParserCtxt* parser = xmlNewParserCtxt();
  if (!parser) return vv_mjcf_no_memory(r);
  if (parser->sax) parser->sax->internalSubset = stop_at_doctype;
  xmlStructuredErrorFunc handler = xmlStructuredError;  // of this thread
  void* handler_user = xmlStructuredErrorContext;
  xmlSetStructuredErrorFunc(NULL, stay_silent);
  *doc = xmlCtxtReadMemory(
      parser, text, (int)length, path, NULL,
      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
  xmlSetStructuredErrorFunc(handler_user, handler);
  vvStatus status = VV_OK;
  if (parser->_private) {
    int line = parser->input ? parser->input->line : 1;
    status = vv_report_set(r->report, VV_ERROR_FILE,
                           "%s:%d: document type declarations are not read; remove <!DOCTYPE ...>", path, line);
  } else if (!*doc || !parser->wellFormed) {
    const xmlError* e = xmlCtxtGetLastError(parser);
    char line[120];
    first_line(e ? e->message : NULL, line, sizeof line);
    status = vv_report_set(r->report, VV_ERROR_FILE, "%s:%d: not well-formed XML: %s", path,
                           e && e->line > 0 ? e->line : 1, line);
  }
  if (status != VV_OK && *doc) {
    xmlFreeDoc(*doc);
    *doc = NULL;
  }
  xmlFreeParserCtxt(parser);
  return status;
}

// Joins the folder of `base` and `file`; `file` alone when it is absolute.
static const char* join_path(vvMjcf* r, const char* base, const char* file) {
  const char* slash = strrchr(base, '/');
  if (file[0] == '/' || !slash) return vv_spec_text(r->spec, file);
  size_t folder = (size_t)(slash - base) + 1, n = strlen(file) + 1;
  char* path = vv_spec_memory(r->spec, folder + n);
  if (!path) return NULL;
  memcpy(path, base, folder);
  memcpy(path + folder, file, n);
  return path;
}

static bool exists(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

// The path with "a/../" and "./" resolved by the system, or the path itself.
static const char* real_path(vvMjcf* r, const char* path) {
  char* real = realpath(path, NULL);
  const char* copy = vv_spec_text(r->spec, real ? real : path);
  free(real);
  return copy;
}

static vvStatus add_doc(vvMjcf* r, xmlDoc* doc, xmlNode* include, const char* path) {
  vvMjcfDoc* d = vv_spec_memory(r->spec, sizeof(vvMjcfDoc));
  if (d) {
    d->path = vv_spec_text(r->spec, path);
    d->real = real_path(r, path);
  }
  if (!d || !d->path || !d->real) {
    xmlFreeDoc(doc);
    return vv_mjcf_no_memory(r);
  }
  d->doc = doc;
  d->include = include;
  d->next = r->docs;
  doc->_private = d;
  r->docs = d;
  r->ndoc++;
  if (include) include->_private = d;
  return VV_OK;
}

static vvStatus load_includes(vvMjcf* r, xmlNode* parent, int depth);

static vvStatus load_include(vvMjcf* r, xmlNode* node, int depth) {
  if (depth > MAX_INCLUDE_DEPTH)
    return vv_mjcf_error(r, node, "includes are nested more than %d deep", MAX_INCLUDE_DEPTH);
  const char* file;
  vvStatus status = vv_mjcf_required(r, node, "file", &file);
  if (status != VV_OK) return status;
  for (const xmlAttr* a = node->properties; a; a = a->next)
    if (strcmp((const char*)a->name, "file"))
      return vv_mjcf_error(r, node, "include has no attribute \"%.40s\"; it has \"file\"", (const char*)a->name);
  if ((status = vv_mjcf_no_children(r, node)) != VV_OK) return status;
  const char* path = join_path(r, r->path, file);
  if (path && !exists(path)) {
    const char* beside = join_path(r, vv_mjcf_file(node), file);
    if (!beside || exists(beside)) path = beside;
  }
  const char* real = path ? real_path(r, path) : NULL;
  if (!real) return vv_mjcf_no_memory(r);
  for (vvMjcfDoc* d = r->docs; d; d = d->next)
    if (!strcmp(d->real, real))
      return vv_mjcf_error(r, node, "the file \"%.100s\" is included already; a file may be included once", file);
  char* text = NULL;
  size_t length = 0;
  xmlDoc* doc = NULL;
  status = read_file(r, path, node, &text, &length);
  if (status == VV_OK) status = parse(r, text, length, path, &doc);
  if (text) vv_free(r->context, text, length + 1);
  if (status == VV_OK) status = add_doc(r, doc, node, path);
  if (status != VV_OK) return status;
  xmlNode* root = xmlDocGetRootElement(doc);
  bool empty = true;
  for (xmlNode* n = root ? root->children : NULL; n; n = n->next) empty = empty && n->type != XML_ELEMENT_NODE;
  if (empty) return vv_mjcf_error(r, node, "the included file \"%.100s\" holds no elements", file);
  return load_includes(r, root, depth + 1);
}

// Walks a document without recursion into it: parents come before children.
static vvStatus load_includes(vvMjcf* r, xmlNode* root, int depth) {
  xmlNode* n = root;
  while (n) {
    if (n->type == XML_ELEMENT_NODE && vv_mjcf_is(n, "include")) {
      vvStatus status = load_include(r, n, depth);
      if (status != VV_OK) return status;
    }
    if (n->type == XML_ELEMENT_NODE && n->children) {
      n = n->children;
      continue;
    }
    while (n != root && !n->next) n = n->parent;
    n = n == root ? NULL : n->next;
  }
  return VV_OK;
}

vvStatus vv_mjcf_open(vvMjcf* r, const char* text, size_t length, xmlNode** root) {
  char* own = NULL;
  xmlDoc* doc = NULL;
  vvStatus status = VV_OK;
  if (!text) {
    status = read_file(r, r->path, NULL, &own, &length);
    text = own;
  }
  size_t own_bytes = length + 1;
  if (status == VV_OK) status = parse(r, text, length, r->path, &doc);
  if (own) vv_free(r->context, own, own_bytes);
  if (status == VV_OK) status = add_doc(r, doc, NULL, r->path);
  if (status != VV_OK) return status;
  *root = xmlDocGetRootElement(doc);
  if (!*root || !vv_mjcf_is(*root, "mujoco"))
    return vv_mjcf_error(r, *root ? *root : (xmlNode*)doc, "the root element is <%.40s>; a scene begins with <mujoco>",
                         *root ? (const char*)(*root)->name : "");
  return load_includes(r, *root, 0);
}

void vv_mjcf_close(vvMjcf* r) {
  for (vvMjcfDoc* d = r->docs; d; d = d->next) xmlFreeDoc(d->doc);
  r->docs = NULL;
}

// ---- iteration ------------------------------------------------------------------------------------------------------

// The first element at or after n among its siblings, stepping into includes and out of included files.
static xmlNode* settle(xmlNode* n, xmlNode* parent) {
  for (;;) {
    if (!n) {
      vvMjcfDoc* d = parent ? doc_of(parent) : NULL;
      bool included = d && d->include && parent == xmlDocGetRootElement(d->doc);
      if (!included) return NULL;
      parent = d->include->parent;
      n = d->include->next;
      continue;
    }
    if (n->type == XML_ELEMENT_NODE) {
      vvMjcfDoc* d = vv_mjcf_is(n, "include") ? n->_private : NULL;
      if (!d) return n;
      parent = xmlDocGetRootElement(d->doc);
      n = parent->children;
      continue;
    }
    n = n->next;
  }
}

xmlNode* vv_mjcf_first(xmlNode* parent) {
  return settle(parent->children, parent);
}

xmlNode* vv_mjcf_next(xmlNode* node) {
  return settle(node->next, node->parent);
}

vvStatus vv_mjcf_no_children(vvMjcf* r, xmlNode* node) {
  xmlNode* child = node->children;
  while (child && child->type != XML_ELEMENT_NODE) child = child->next;
  if (!child) return VV_OK;
  if (vv_mjcf_is(child, "plugin"))
    return vv_mjcf_unsupported(r, child, "element \"plugin\" is not supported yet; remove it");
  return vv_mjcf_error(r, child, "element \"%.40s\" may not stand inside <%.40s>; move it", (const char*)child->name,
                       (const char*)node->name);
}
