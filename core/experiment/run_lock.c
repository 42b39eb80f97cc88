/* Locking a run directory (POSIX and flock). */
#include "experiment/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A holder that ends removes its file, and whoever had opened that one has locked nothing that
 * others see. So it is opened anew as often as this; more would mean that runs end faster than it
 * is opened. */
enum { TRIES = 100 };

/* "process 123", with its machine where that is another one, from what the holder wrote. */
static void read_holder(int file, char *out, size_t size) {
  char text[320] = "", here[256] = "", host[256] = "";
  long process = 0;
  const ssize_t got = pread(file, text, sizeof text - 1, 0);
  if (got > 0) text[got] = '\0';
  (void)gethostname(here, sizeof here - 1);
  const int fields = sscanf(text, "%ld %255s", &process, host);
  if (fields < 1 || process <= 0)
    snprintf(out, size, "another process");
  else if (fields == 2 && strcmp(host, here) != 0)
    snprintf(out, size, "process %ld on %.64s", process, host);
  else
    snprintf(out, size, "process %ld", process);
}

static void write_holder(int file) {
  char text[320], here[256] = "";
  (void)gethostname(here, sizeof here - 1);
  const int length = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), here);
  /* What is written is for messages only: the lock is a lock without it, too. */
  if (ftruncate(file, 0) == 0) {
    const ssize_t written = pwrite(file, text, (size_t)length, 0);
    (void)written;
  }
}

/* Is the open file still the one of that name? */
static bool is_current(int file, const char *path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/* What came of one try; the file is open only after TAKEN, and errno tells why it FAILED. */
typedef enum outcome { TAKEN, AGAIN, BUSY, FAILED } outcome;

/* Another user's file can be read, at least, which is enough for a lock. */
static int open_file(const char *path) {
  const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file >= 0 || errno == ELOOP) return file;
  const int error = errno;
  const int readable = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (readable < 0) errno = error;
  return readable;
}

static outcome try_once(const char *path, int *file, char *holder, size_t size) {
  *file = open_file(path);
  if (*file < 0) return FAILED;
  outcome result = FAILED;
  if (flock(*file, LOCK_EX | LOCK_NB) == 0) {
    if (is_current(*file, path)) return TAKEN;
    result = AGAIN;
  } else if (errno == EWOULDBLOCK) {
    read_holder(*file, holder, size);
    result = BUSY;
  }
  const int error = errno;
  (void)close(*file);
  *file = -1;
  errno = error;
  return result;
}

edgefw_status edgefw__run_lock_take(edgefw_context *ctx, const char *folder,
                                    edgefw__run_lock *out) {
  *out = (edgefw__run_lock)EDGEFW__RUN_LOCK_NONE;
  if (snprintf(out->path, sizeof out->path, "%s/" EDGEFW__RUN_LOCK_NAME, folder) >=
      (int)sizeof out->path)
    return edgefw_fail(ctx, EDGEFW_IO, "%s: the path is too long", folder);
  char holder[128] = "another process";
  outcome result = AGAIN;
  for (int i = 0; i < TRIES && result == AGAIN; ++i)
    result = try_once(out->path, &out->file, holder, sizeof holder);
  const int error = errno;
  if (result == TAKEN) {
    write_holder(out->file);
    return EDGEFW_OK;
  }
  if (result != FAILED)
    return edgefw_fail(ctx, EDGEFW_IO,
                       "%s is in use by %s; wait until it has ended, or choose another folder with "
                       "--out",
                       folder, holder);
  /* Who may write nothing in the folder disturbs no run there. */
  if ((error == EACCES || error == EROFS || error == EPERM) && access(folder, W_OK) != 0)
    return EDGEFW_OK;
  if (error == ENOLCK || error == EBADF || error == EOPNOTSUPP || error == ENOSYS ||
      error == EINVAL) {
    edgefw_log(ctx, EDGEFW_LOG_WARNING,
               "%s cannot be locked (%s): see to it that no other run uses it", folder,
               strerror(error));
    (void)unlink(out->path);
    return EDGEFW_OK;
  }
  return edgefw_fail(ctx, EDGEFW_IO, "cannot lock %s: %s: %s", folder, out->path,
                     error == ELOOP ? "it is a symbolic link" : strerror(error));
}

void edgefw__run_lock_release(edgefw__run_lock *lock) {
  if (lock->file < 0) return;
  /* While it is locked, and if it is this one still: nobody removes the file of a later run, or of
   * one in a folder that took the place of this run's. */
  if (is_current(lock->file, lock->path)) (void)unlink(lock->path);
  (void)close(lock->file);
  lock->file = -1;
}
