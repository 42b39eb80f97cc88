/* A program that stands in for LKH: a shell script. */
#include "support/fake_lkh.h"
#include "support/test.h"

#include <stdio.h>
#include <sys/stat.h>

/* Sets problem, tour, n and v (vehicles, 0 without), and counts the call. */
static const char head[] =
    "#!/bin/sh\n"
    "echo called >>'%s'\n"
    "key() { sed -n \"s/^$1 *[=:] *//p\" \"$2\"; }\n"
    "problem=$(key PROBLEM_FILE \"$1\"); tour=$(key TOUR_FILE \"$1\")\n"
    "n=$(key DIMENSION \"$problem\"); v=$(key VEHICLES \"$problem\"); v=${v:-0}\n"
    "grep -q '^RUNS = ' \"$1\" || exit 9\n";

/* print_tour SECOND PER_ROUTE: nodes 1, SECOND, 3, ...; a copy of the depot behind every PER_ROUTE
 * customers, the remaining copies at the end. */
static const char print_tour[] =
    "print_tour() {\n"
    "  all=$((v > 1 ? n + v - 1 : n))\n"
    "  {\n"
    "    printf 'NAME : x.1.tour\\nCOMMENT : Length = 1\\nCOMMENT : Found by a script\\n'\n"
    "    printf 'TYPE : TOUR\\nDIMENSION : %d\\nTOUR_SECTION\\n1\\n%d\\n' $all $1\n"
    "    i=3; copy=$((n + 1)); in_route=1\n"
    "    while [ $i -le $n ]; do\n"
    "      if [ $in_route -ge $2 ] && [ $copy -le $all ]; then\n"
    "        echo $copy; copy=$((copy + 1)); in_route=0\n"
    "      fi\n"
    "      echo $i; i=$((i + 1)); in_route=$((in_route + 1))\n"
    "    done\n"
    "    while [ $copy -le $all ]; do echo $copy; copy=$((copy + 1)); done\n"
    "    printf -- '-1\\nEOF\\n'\n"
    "  } >\"$tour\"\n"
    "}\n";

static const char *const bodies[] = {
    [FAKE_LKH_GOOD] = "print_tour 2 2\n",
    [FAKE_LKH_SILENT] = "exit 0\n",
    [FAKE_LKH_GARBAGE] = "print_tour 1 2\n",
    [FAKE_LKH_OVERLOAD] = "print_tour 2 1000\n",
    [FAKE_LKH_FAILING] = "echo '*** Error ***'; echo 'cannot go on' >&2; echo; exit 1\n",
    [FAKE_LKH_CRASHING] = "kill -SEGV $$\n",
    [FAKE_LKH_HANGING] = "sleep 100\n",
    [FAKE_LKH_THIRD_FAILS] = "[ $(wc -l <\"$calls\") -eq 3 ] && exit 1\nprint_tour 2 2\n"};

const char *fake_lkh_write(const sandbox *box, const char *name, fake_lkh_mode mode) {
  char script[4096], calls[512];
  snprintf(calls, sizeof calls, "%s", sandbox_path(box, "calls"));
  const int length = snprintf(script, sizeof script, head, calls);
  snprintf(script + length, sizeof script - (size_t)length, "calls='%s'\n%s%s", calls, print_tour,
           bodies[mode]);
  const char *path = sandbox_write(box, name, script);
  assert_int_equal(chmod(path, 0700), 0);
  return path;
}

int fake_lkh_calls(const sandbox *box) {
  FILE *stream = fopen(sandbox_path(box, "calls"), "rb");
  int lines = 0;
  for (int c = 0; stream && (c = fgetc(stream)) != EOF;) lines += c == '\n';
  if (stream) fclose(stream);
  return lines;
}
