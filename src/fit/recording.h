// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// recording.h: recordings: CSV text with a header, one row per sample, cut into episodes.
//
// Strict: every row has as many fields as the header, every needed column holds finite numbers, time increases within
// an episode, the rows of an episode are neighbours. CRLF, a byte-order mark, blanks around fields and double quotes
// are taken. Columns that are not needed are not read.

#ifndef VISVIVA_FIT_RECORDING_H_
#define VISVIVA_FIT_RECORDING_H_

#include "fit/memory.h"
#include "visviva/report.h"

typedef struct vvEpisode {
  int first;  // row
  int nrow;
  int line;  // of the first row in the file
} vvEpisode;

typedef struct vvRecording {
  const char* file;
  int ncolumn;  // the ones asked for
  int nrow;
  double* values;       // nrow x ncolumn
  int* lines;           // nrow   where a row stands in the file
  vvEpisode* episodes;  // nepisode
  int nepisode;
} vvRecording;

// Reads the named columns; time is columns[0]. `episode`: name of the column whose value tells episodes apart, any
// text; NULL: one episode.
vvStatus vv_recording_read(vvFitMemory* memory, const char* file, const char* const* columns, int ncolumn,
                           const char* episode, vvRecording* recording, vvReport* report);

// The same from text in memory.
vvStatus vv_recording_parse(vvFitMemory* memory, const char* file, const char* text, size_t length,
                            const char* const* columns, int ncolumn, const char* episode, vvRecording* recording,
                            vvReport* report);

#endif  // VISVIVA_FIT_RECORDING_H_
