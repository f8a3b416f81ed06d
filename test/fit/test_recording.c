// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_recording.c: recordings: what is read, and one clear line for each thing that is wrong.

#include "vvtest.h"

#include <string.h>

#include "fit/recording.h"

static const char* const columns[] = {"t", "x"};

static vvStatus parse(vvFitMemory* memory, const char* text, vvRecording* rec, vvReport* report) {
  vv_report_clear(report);
  return vv_recording_parse(memory, "r.csv", text, strlen(text), columns, 2, "toss", rec, report);
}

static int setup(void** state) {
  static vvFitMemory memory;
  memory.first = NULL;
  *state = &memory;
  return vv_context_create(NULL, &memory.context);
}

static int teardown(void** state) {
  vvFitMemory* memory = *state;
  vv_fit_memory_free(memory);
  size_t left = vv_context_memory(memory->context).bytes;
  vv_context_destroy(memory->context);
  return left != 0;
}

static void reads(void** state) {
  vvRecording rec;
  vvReport report;
  const char* text =
      "\xef\xbb\xbfx, toss ,\"t\",note\r\n1.5,a,0,\"hello\"\r\n\r\n 2.5 ,a,0.1,\r\n3,\"b\",0,x\r\n4,b,1e-1,y";
  assert_int_equal(parse(*state, text, &rec, &report), VV_OK);
  assert_int_equal(rec.nrow, 4);
  assert_int_equal(rec.nepisode, 2);
  assert_int_equal(rec.episodes[1].first, 2);
  assert_int_equal(rec.episodes[1].nrow, 2);
  assert_int_equal(rec.lines[2], 5);
  assert_true(rec.values[0] == 0 && rec.values[1] == 1.5 && rec.values[6] == 0.1 && rec.values[7] == 4);
}

typedef struct Bad {
  const char* text;
  const char* message;  // how it begins
} Bad;

static const Bad bad[] = {
    {"", "r.csv:1: is empty"},
    {"\n\n  \n", "r.csv:1: is empty"},
    {"t,x,toss\n", "r.csv:1: no rows after the header"},
    {"t,y,toss\n0,1,a\n", "r.csv:1: no column \"x\"; the header has t, y, toss"},
    {"t,x,x,toss\n0,1,1,a\n", "r.csv:1: two columns are called \"x\""},
    {"t,x\n0,1\n", "r.csv:1: no column \"toss\""},
    {"t,x,toss\n0,1,a\n0.1,1\n", "r.csv:3: has 2 fields; the header has 3"},
    {"t,x,toss\n0,1,a,\n", "r.csv:2: has 4 fields; the header has 3"},
    {"t,x,toss\n0,,a\n", "r.csv:2: column x is empty"},
    {"t,x,toss\n0,abc,a\n", "r.csv:2: column x: \"abc\" is not a number"},
    {"t,x,toss\n0,1 2,a\n", "r.csv:2: column x: \"1 2\" is not a number"},
    {"t,x,toss\n0,1,a\n0.1,NaN,a\n", "r.csv:3: column x is NaN; numbers must be finite"},
    {"t,x,toss\n0,1,a\n0.1,-inf,a\n", "r.csv:3: column x is -inf"},
    {"t,x,toss\n0,1e999,a\n", "r.csv:2: column x is 1e999"},
    {"t,x,toss\n0.2,1,a\n0.1,1,a\n", "r.csv:3: column t is 0.1 after 0.2; time must increase"},
    {"t,x,toss\n0.2,1,a\n0.2,1,a\n", "r.csv:3: column t is 0.2 after 0.2; time must increase"},
    {"t,x,toss\n0,1,a\n0,1,b\n0.1,1,a\n", "r.csv:4: toss a appears again"},
    {"t,x,toss\n0,1,\n", "r.csv:2: column toss is empty"},
};

static void refuses(void** state) {
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    vvRecording rec;
    vvReport report;
    assert_int_equal(parse(*state, bad[i].text, &rec, &report), VV_ERROR_FILE);
    if (strncmp(report.message, bad[i].message, strlen(bad[i].message)) != 0) {
      print_error("case %zu: \"%s\" does not begin with \"%s\"\n", i, report.message, bad[i].message);
      fail();
    }
  }
}

static void refuses_bytes(void** state) {
  vvRecording rec;
  vvReport report;
  const char zero[] = "t,x,toss\n0,1\0,a\n";
  assert_int_equal(vv_recording_parse(*state, "r.csv", zero, sizeof zero - 1, columns, 2, "toss", &rec, &report),
                   VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "r.csv:2: holds a zero byte"));
  assert_int_equal(vv_recording_read(*state, "/", columns, 2, NULL, &rec, &report), VV_ERROR_FILE);
  assert_int_equal(vv_recording_read(*state, "/nowhere.csv", columns, 2, NULL, &rec, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "/nowhere.csv: cannot be read"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(reads, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_bytes, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
