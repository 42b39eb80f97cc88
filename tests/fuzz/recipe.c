/* One change for each four bytes: what, to which object, and two for the rest. */
#include "recipe.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/hdf5_input.h"
#include "fuzz.h"
#include "support/io_support.h"

enum { CHANGES = 12, STEP = 4, MAX_RANK = 5 };

typedef struct work {
  hid_t file;
  const char *path;
  const recipe_format *format;
  const char *object;
  uint8_t a, b; /* the change's own bytes */
} work;

static const char *choose(const char *const *list, uint8_t which) {
  int count = 0;
  while (list[count]) ++count;
  return list[which % count];
}

/* --- What things are made of --- */

static hid_t new_text_type(size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

static hid_t new_pair_type(void) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(type, "x", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "y", 8, H5T_NATIVE_DOUBLE);
  return type;
}

/* Closed by H5Tclose. */
static hid_t new_type(uint8_t which) {
  switch (which % 14) {
  case 0: return H5Tcopy(H5T_IEEE_F32LE);
  case 1: return H5Tcopy(H5T_IEEE_F64LE);
  case 2: return H5Tcopy(H5T_STD_I32LE);
  case 3: return H5Tcopy(H5T_STD_U8LE);
  case 4: return H5Tcopy(H5T_STD_I64BE);
  case 5: return H5Tcopy(H5T_STD_U64LE);
  case 6: return new_text_type(1);
  case 7: return new_text_type(300);
  case 8: return new_text_type(H5T_VARIABLE);
  case 9: return new_pair_type();
  case 10: return H5Tvlen_create(H5T_NATIVE_INT);
  case 11: return H5Tcreate(H5T_OPAQUE, 16);
  case 12: return H5Tcopy(H5T_STD_REF_OBJ);
  default: return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){3});
  }
}

/* Extents of an array, some of which nobody could store. Returns the rank. */
static int choose_shape(uint8_t which, hsize_t shape[MAX_RANK]) {
  static const hsize_t extents[] = {2, 4, 1, 3, 0, 5, UINT64_C(1) << 20, UINT64_C(1) << 33};
  const int rank = which % (MAX_RANK + 1);
  for (int axis = 0; axis < rank; ++axis)
    shape[axis] = extents[(which / 6 + axis * (which & 1)) % 8];
  return rank;
}

static hid_t new_space(uint8_t which) {
  hsize_t shape[MAX_RANK];
  const int rank = choose_shape(which, shape);
  if (which == 255) return H5Screate(H5S_NULL);
  return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape, NULL);
}

/* How an array is kept. */
static hid_t new_layout(const work *w, uint8_t which, hid_t space) {
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t chunk[MAX_RANK] = {1, 2, 2, 1, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (which % 8 > 2 && rank > 0) H5Pset_chunk(layout, rank, chunk);
  switch (which % 8) {
  case 1: H5Pset_layout(layout, H5D_COMPACT); break;
  case 2: H5Pset_external(layout, w->path, 0, H5F_UNLIMITED); break;
  case 3: H5Pset_deflate(layout, 9); break;
  case 4: H5Pset_scaleoffset(layout, H5Z_SO_INT, 0); break;
  case 5: H5Pset_filter(layout, 32001, H5Z_FLAG_OPTIONAL, 0, NULL); break;
  case 6: H5Pset_nbit(layout); break;
  case 7: H5Pset_virtual(layout, space, w->path, "/", space); break;
  default: break;
  }
  return layout;
}

/* Numbers for up to 16 KiB of anything; `which` decides of what. */
static const void *choose_bytes(uint8_t which) {
  static double numbers[2048];
  static const double set[] = {1.0, 0.0, -1.0, 1e308, 1e-320, 2.5};
  for (int k = 0; k < 2048; ++k)
    numbers[k] = which % 8 < 6 ? set[which % 8] : which % 8 == 6 ? (double)NAN : (double)INFINITY;
  return numbers;
}

/* --- Changes --- */

static void remove_object(const work *w) {
  H5Ldelete(w->file, w->object, H5P_DEFAULT);
}

static void link_object(const work *w) {
  const char *other = choose(w->format->objects, w->b);
  remove_object(w);
  switch (w->a % 4) {
  case 0: H5Lcreate_soft(other, w->file, w->object, H5P_DEFAULT, H5P_DEFAULT); break;
  case 1: H5Lcreate_external(w->path, other, w->file, w->object, H5P_DEFAULT, H5P_DEFAULT); break;
  case 2: H5Lcreate_hard(w->file, other, w->file, w->object, H5P_DEFAULT, H5P_DEFAULT); break;
  default: H5Lcreate_external("/dev/zero", "/", w->file, w->object, H5P_DEFAULT, H5P_DEFAULT);
  }
}

static void replace_by_array(const work *w) {
  const hid_t type = new_type(w->a), space = new_space(w->b);
  const hid_t layout = new_layout(w, (uint8_t)(w->a / 14 + w->b / 48), space);
  remove_object(w);
  const hid_t array = H5Dcreate2(w->file, w->object, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const bool numbers = H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER;
  if (array >= 0 && numbers && count > 0 && count <= 2048 && w->a < 240)
    H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, choose_bytes(w->a));
  if (array >= 0) H5Dclose(array);
  H5Pclose(layout);
  H5Sclose(space);
  H5Tclose(type);
}

static void replace_by_group(const work *w) {
  remove_object(w);
  const hid_t group = H5Gcreate2(w->file, w->object, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) H5Gclose(group);
}

static void put_attribute(const work *w) {
  const char *name = choose(w->format->attributes, w->b), *text = "1 text";
  const hid_t type = new_type((uint8_t)(w->a % 28)), space = new_space(w->a < 128 ? 0 : w->a);
  if (H5Aexists_by_name(w->file, w->object, name, H5P_DEFAULT) > 0)
    H5Adelete_by_name(w->file, w->object, name, H5P_DEFAULT);
  /* HDF5 would write hundreds of megabytes for the larger shapes. */
  const hid_t attribute = H5Sget_simple_extent_npoints(space) > 4096
                              ? H5I_INVALID_HID
                              : H5Acreate_by_name(w->file, w->object, name, type, space,
                                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool pointer = H5Tis_variable_str(type) > 0;
  const bool plain = H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER ||
                     H5Tget_class(type) == H5T_STRING;
  if (attribute >= 0 && plain && H5Sget_simple_extent_npoints(space) == 1)
    H5Awrite(attribute, type, pointer ? (const void *)&text : choose_bytes(w->a));
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

static void remove_attribute(const work *w) {
  const char *name = choose(w->format->attributes, w->b);
  H5Adelete_by_name(w->file, w->object, name, H5P_DEFAULT);
}

/* Another name in the same place. */
static void rename_object(const work *w) {
  char name[400];
  const int folder = (int)(strrchr(w->object, '/') - w->object) + 1;
  static const char *const names[] = {"cost", "a.weight", "\x01", "\xff\xfe", "%s%n", " ", ".x"};
  snprintf(name, sizeof name, "%.*s%s", folder, w->object, names[w->a % 7]);
  if (w->b % 8 == 0) {
    memset(name + folder, 'n', 300);
    name[folder + 300] = '\0';
  }
  H5Lmove(w->file, w->object, w->file, name, H5P_DEFAULT, H5P_DEFAULT);
}

typedef void (*change)(const work *);

static void apply(const recipe_format *format, const char *data, size_t size, const char *path) {
  static const change changes[] = {replace_by_array, put_attribute,   link_object,
                                   remove_object,    rename_object,   replace_by_group,
                                   replace_by_array, remove_attribute};
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  for (size_t at = 0; at + STEP <= size; at += STEP) {
    /* Opened anew: HDF5 can stumble over what it left in memory after a change that it refused. */
    work w = {.file = H5Fopen(path, H5F_ACC_RDWR, access),
              .path = path,
              .format = format,
              .object = choose(format->objects, (uint8_t)data[at + 1]),
              .a = (uint8_t)data[at + 2],
              .b = (uint8_t)data[at + 3]};
    if (w.file < 0) break;
    changes[(uint8_t)data[at] % 8](&w);
    H5Fclose(w.file);
  }
  H5Pclose(access);
  edgefw__hdf5_silence_end(&silence);
}

/* --- The process that does it ---
 *
 * HDF5 itself may crash over a sequence of changes that nobody makes. That is no fault of a reader,
 * so a process of its own makes them, one input after the other, until it crashes or nobody asks.
 */

typedef struct order {
  char path[512], data[CHANGES * STEP];
  size_t size;
} order;

static struct helper {
  pid_t owner, process; /* owner: who started it; a process forked later starts its own */
  int orders, answers;  /* pipes */
} helper;

static void serve(const recipe_format *format, int orders, int answers) {
  order next;
  (void)close(STDERR_FILENO);
  while (read(orders, &next, sizeof next) == (ssize_t)sizeof next) {
    alarm(5);
    apply(format, next.data, next.size, next.path);
    alarm(0);
    if (write(answers, "+", 1) != 1) break;
  }
  _exit(0);
}

static void stop(void) {
  if (helper.owner != getpid() || helper.process <= 0) return;
  (void)close(helper.orders);
  (void)close(helper.answers);
  while (waitpid(helper.process, NULL, 0) < 0 && errno == EINTR) {
  }
  helper.process = 0;
}

static void start(const recipe_format *format) {
  int orders[2], answers[2];
  if (helper.owner == getpid() && helper.process > 0) return;
  if (helper.owner != getpid()) {
    atexit(stop);
    signal(SIGPIPE, SIG_IGN); /* a helper that crashed takes no orders */
  }
  if (pipe(orders) != 0 || pipe(answers) != 0) fuzz_fault("no pipes");
  helper = (struct helper){getpid(), fork(), orders[1], answers[0]};
  if (helper.process < 0) fuzz_fault("no process");
  if (helper.process == 0) {
    (void)close(orders[1]);
    (void)close(answers[0]);
    serve(format, orders[0], answers[1]);
  }
  (void)close(orders[0]);
  (void)close(answers[1]);
}

/* Have the changes made. Did that end well? */
static bool apply_apart(const recipe_format *format, const char *data, size_t size,
                        const char *path) {
  order next = {.size = size};
  char answer = 0;
  snprintf(next.path, sizeof next.path, "%s", path);
  memcpy(next.data, data, size);
  start(format);
  if (write(helper.orders, &next, sizeof next) == (ssize_t)sizeof next &&
      read(helper.answers, &answer, 1) == 1)
    return true;
  stop();
  return false;
}

void recipe_prepare(const recipe_format *format, const char *path) {
  size_t size = 0, length = 0;
  char *data = io_read(path, &size);
  if (size > 0 && size <= CHANGES * STEP && (uint8_t)data[0] != 0x89) {
    char *good = io_read(format->good, &length);
    io_write(path, good, length);
    if (!apply_apart(format, data, size, path)) io_write(path, good, length);
    free(good);
  }
  free(data);
}
