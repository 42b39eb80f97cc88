/* The golden files are the ones that the manifest pins, all of them are in it, and they are small:
 * a golden value changes on purpose or not at all.
 * labels: golden */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "support/sha256.h"

#define GOLDEN_FOLDER EDGEFW_TEST_DATA "/golden/"

enum { LARGEST_FILE = 64 * 1024, LARGEST_TOTAL = 2 * 1024 * 1024 };

static void expect_digest(const char *text, const char *expected) {
  sha256 hash;
  char hex[SHA256_HEX_SIZE];
  sha256_begin(&hash);
  sha256_take(&hash, text, strlen(text));
  sha256_end(&hash, hex);
  assert_string_equal(hex, expected);
}

/* Known answers of FIPS 180-4: no block, one block, and a message whose length needs a second. */
static void the_digest_is_sha256(void **state) {
  (void)state;
  expect_digest("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect_digest("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* Next line "DIGEST  NAME" of the manifest; false at its end. */
static bool next_entry(FILE *manifest, char digest[SHA256_HEX_SIZE], char name[128]) {
  const int got = fscanf(manifest, "%64[0-9a-f]  %127[^\n]\n", digest, name);
  if (got == EOF) return false;
  assert_int_equal(got, 2);
  return true;
}

/* Files of a folder that end in `suffix`, or (NULL) all but its manifest. */
static int count_files(const char *path, const char *suffix) {
  DIR *folder = opendir(path);
  assert_non_null(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *end = strrchr(entry->d_name, '.');
    if (suffix)
      count += end != NULL && strcmp(end, suffix) == 0;
    else
      count += entry->d_name[0] != '.' && strcmp(entry->d_name, "MANIFEST.sha256") != 0;
  }
  closedir(folder);
  return count;
}

static void check_manifest(const char *manifest_path, int files) {
  FILE *manifest = fopen(manifest_path, "r");
  assert_non_null(manifest);
  char expected[SHA256_HEX_SIZE], found[SHA256_HEX_SIZE], name[128], path[1024];
  uint64_t total = 0;
  int count = 0;
  while (next_entry(manifest, expected, name)) {
    uint64_t bytes = 0;
    snprintf(path, sizeof path, GOLDEN_FOLDER "%s", name);
    if (!sha256_file(path, found, &bytes)) fail_msg("%s cannot be read", path);
    if (strcmp(found, expected) != 0)
      fail_msg("%s has SHA-256 %s; the manifest says %s", path, found, expected);
    assert_in_range(bytes, 1, LARGEST_FILE);
    total += bytes;
    ++count;
  }
  fclose(manifest);
  assert_in_range(total, 1, LARGEST_TOTAL);
  assert_int_equal(count, files);
}

static void every_file_is_as_pinned(void **state) {
  (void)state;
  check_manifest(GOLDEN_FOLDER "MANIFEST.sha256", count_files(GOLDEN_FOLDER, ".h5"));
}

/* make_torch_models.py keeps a folder and a manifest of its own. */
static void every_model_of_pytorch_is_as_pinned(void **state) {
  (void)state;
  check_manifest(GOLDEN_FOLDER "torch/MANIFEST.sha256", count_files(GOLDEN_FOLDER "torch", NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_digest_is_sha256),
                                     cmocka_unit_test(every_file_is_as_pinned),
                                     cmocka_unit_test(every_model_of_pytorch_is_as_pinned)};
  return test_run(tests, NULL, NULL);
}
