/* Loaded before the C library (LD_PRELOAD): counts the calls by which a program changes files, and
 * ends or fails it at one of them.
 *
 *   INTERRUPT_AT=K     which call, from 1
 *   INTERRUPT_HOW      "kill": SIGKILL in place of the call, of whose bytes half are written;
 *                      "full": the call fails, for no space is left
 *   INTERRUPT_COUNT=F  the program's number of calls goes into file F when it ends
 *
 * The clock stands still, and a program that is interrupted has always the same number, so that
 * what two of them leave behind is the same in every byte unless they were interrupted in another
 * state.
 *
 * Calls are those that name a file or end its writing: what stdio keeps in memory until then is
 * lost or fails there. Files of the system (/dev, /proc) do not count, nor do plain reads. Flushing
 * to disk counts and is left out: a process that is killed loses nothing that the system has, and
 * waiting for the disk would be most of the time of a thousand runs. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The C library's own function of the same name. dlsym gives an object pointer. */
#define REAL(type, name)                                                                           \
  static type (*real)(SIGNATURE_##name);                                                           \
  if (!real) *(void **)(void *)&real = dlsym(RTLD_NEXT, #name)

static long calls, at;
static const char *how;
static bool ready;

static void begin(void) {
  const char *number = getenv("INTERRUPT_AT");
  how = getenv("INTERRUPT_HOW");
  at = number && how ? strtol(number, NULL, 10) : 0;
  ready = true;
}

/* One more call: is it the one to fail? May not return. */
static bool fails(void) {
  if (!ready) begin();
  if (++calls != at) return false;
  if (strcmp(how, "full") != 0) raise(SIGKILL);
  errno = ENOSPC;
  return true;
}

/* Is the next call the last one, of whose bytes half are written? */
static bool is_last(void) {
  if (!ready) begin();
  return calls + 1 == at && strcmp(how, "kill") == 0;
}

static bool is_counted(const char *path) {
  return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 &&
         strncmp(path, "/sys/", 5) != 0;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("INTERRUPT_COUNT");
  char text[32];
  if (!path) return;
  const int file = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int length = snprintf(text, sizeof text, "%ld\n", calls);
  if (file >= 0 && write(file, text, (size_t)length) == length) (void)close(file);
}

/* --- Time and the process --- */

enum { NOW = 1700000000, NUMBER = 4194303 };

EXPORT int clock_gettime(clockid_t clock, struct timespec *out) {
  (void)clock;
  *out = (struct timespec){.tv_sec = NOW};
  return 0;
}

EXPORT time_t time(time_t *out) {
  if (out) *out = NOW;
  return NOW;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  *out = (struct timeval){.tv_sec = NOW};
  return 0;
}

#define SIGNATURE_getpid void
EXPORT pid_t getpid(void) {
  REAL(pid_t, getpid);
  if (!ready) begin();
  return at > 0 ? NUMBER : real();
}

/* --- Opening and closing --- */

#define SIGNATURE_open   const char *, int, ...
#define SIGNATURE_open64 const char *, int, ...
#define OPEN(name)                                                                                 \
  EXPORT int name(const char *path, int flags, ...) {                                              \
    REAL(int, name);                                                                               \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                           \
    va_end(arguments);                                                                             \
    if (flags & (O_WRONLY | O_RDWR) && is_counted(path) && fails()) return -1;                     \
    return real(path, flags, mode);                                                                \
  }
OPEN(open)
OPEN(open64)

#define SIGNATURE_fopen   const char *, const char *
#define SIGNATURE_fopen64 const char *, const char *
#define FOPEN(name)                                                                                \
  EXPORT FILE *name(const char *path, const char *mode) {                                          \
    REAL(FILE *, name);                                                                            \
    if (mode[0] != 'r' && is_counted(path) && fails()) return NULL;                                \
    return real(path, mode);                                                                       \
  }
FOPEN(fopen)
FOPEN(fopen64)

static bool is_written(FILE *stream) {
  const int file = fileno(stream);
  return file > 2 && (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* Put a full disk under a stream, so that the C library itself finds the failure and keeps it in
 * mind, as ferror tells. Gives back what was there, for `restore`. */
static int divert(FILE *stream) {
  const int kept = dup(fileno(stream)), full = openat(AT_FDCWD, "/dev/full", O_WRONLY);
  (void)dup2(full, fileno(stream));
  (void)close(full);
  return kept;
}

static void restore(FILE *stream, int kept) {
  (void)dup2(kept, fileno(stream));
  (void)close(kept);
  errno = ENOSPC;
}

#define SIGNATURE_fclose FILE *
EXPORT int fclose(FILE *stream) {
  REAL(int, fclose);
  if (!is_written(stream) || !fails()) return real(stream);
  (void)close(divert(stream));
  (void)real(stream);
  errno = ENOSPC;
  return EOF;
}

#define SIGNATURE_fflush FILE *
static int flush(FILE *stream) {
  REAL(int, fflush);
  return real(stream);
}

EXPORT int fflush(FILE *stream) {
  if (!stream || !is_written(stream) || !fails()) return flush(stream);
  const int kept = divert(stream);
  (void)flush(stream);
  restore(stream, kept);
  return EOF;
}

/* --- Bytes --- */

#define SIGNATURE_fwrite const void *, size_t, size_t, FILE *
EXPORT size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
  REAL(size_t, fwrite);
  if (!is_written(stream)) return real(bytes, size, count, stream);
  if (is_last()) {
    (void)real(bytes, 1, size * count / 2, stream);
    (void)flush(stream);
  }
  if (!fails()) return real(bytes, size, count, stream);
  const int kept = divert(stream);
  (void)real(bytes, size, count, stream);
  (void)flush(stream);
  restore(stream, kept);
  return 0;
}

#define SIGNATURE_write int, const void *, size_t
EXPORT ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, write);
  if (file <= 2) return real(file, bytes, count);
  if (is_last()) (void)!real(file, bytes, count / 2);
  return fails() ? -1 : real(file, bytes, count);
}

#define SIGNATURE_pwrite   int, const void *, size_t, off_t
#define SIGNATURE_pwrite64 int, const void *, size_t, off_t
#define PWRITE(name)                                                                               \
  EXPORT ssize_t name(int file, const void *bytes, size_t count, off_t place) {                    \
    REAL(ssize_t, name);                                                                           \
    if (is_last()) (void)!real(file, bytes, count / 2, place);                                     \
    return fails() ? -1 : real(file, bytes, count, place);                                         \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

/* --- Flushing to disk: see above --- */

EXPORT int fsync(int file) {
  (void)file;
  return fails() ? -1 : 0;
}

EXPORT int fdatasync(int file) {
  (void)file;
  return fails() ? -1 : 0;
}

/* --- Everything else: a call of these arguments that gives 0 or -1 --- */

#define PLAIN(name, parameters, arguments)                                                         \
  EXPORT int name parameters {                                                                     \
    REAL(int, name);                                                                               \
    return fails() ? -1 : real arguments;                                                          \
  }
#define SIGNATURE_rename      const char *, const char *
#define SIGNATURE_link        const char *, const char *
#define SIGNATURE_unlink      const char *
#define SIGNATURE_remove      const char *
#define SIGNATURE_rmdir       const char *
#define SIGNATURE_mkdir       const char *, mode_t
#define SIGNATURE_truncate    const char *, off_t
#define SIGNATURE_ftruncate   int, off_t
#define SIGNATURE_ftruncate64 int, off_t
PLAIN(rename, (const char *from, const char *to), (from, to))
PLAIN(link, (const char *from, const char *to), (from, to))
PLAIN(unlink, (const char *path), (path))
PLAIN(remove, (const char *path), (path))
PLAIN(rmdir, (const char *path), (path))
PLAIN(mkdir, (const char *path, mode_t mode), (path, mode))
PLAIN(truncate, (const char *path, off_t size), (path, size))
PLAIN(ftruncate, (int file, off_t size), (file, size))
PLAIN(ftruncate64, (int file, off_t size), (file, size))
