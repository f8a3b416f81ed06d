// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// table.h: tables of numbers read from CSV text: commas between columns, an optional header, CRLF and a byte-order mark
// allowed, blank lines skipped. Every row has the header's (or first row's) number of columns, every entry is a number.

#ifndef VISVIVA_CLI_TABLE_H_
#define VISVIVA_CLI_TABLE_H_

#include "visviva/context.h"
#include "visviva/report.h"

typedef struct vvTable {
  vvContext* ctx;
  char** name;    // ncol   header, blanks around names removed; NULL without a header
  double* value;  // nrow x ncol
  int* line;      // nrow   line in the file, from 1
  int ncol;
  int nrow;
  int row_capacity;
  char* text;  // the file's text; names point into it
  size_t text_bytes;
} vvTable;

// Reads a file; NaN and infinity are refused. On error the table is empty and the report names file and line.
vvStatus vv_table_read(vvContext* ctx, const char* path, vvTable* table, vvReport* report);
void vv_table_free(vvTable* table);

// Column of a name, -1: none.
int vv_table_column(const vvTable* table, const char* name);

// The whole file as text with a final 0; free with vv_free(ctx, *text, *bytes + 1).
vvStatus vv_file_read(vvContext* ctx, const char* path, char** text, size_t* bytes, vvReport* report);

#endif  // VISVIVA_CLI_TABLE_H_
