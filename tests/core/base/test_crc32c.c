/* CRC-32C against the values of RFC 3720, appendix B.4, and the check value of the polynomial. */
#include "support/test.h"

#include <string.h>

#include "base/crc32c.h"

static void published_values_come_out(void **state) {
  unsigned char bytes[32];
  (void)state;
  assert_int_equal(edgefw__crc32c("123456789", 9), 0xe3069283u);
  assert_int_equal(edgefw__crc32c("", 0), 0);
  memset(bytes, 0, sizeof bytes);
  assert_int_equal(edgefw__crc32c(bytes, sizeof bytes), 0x8a9136aau);
  memset(bytes, 0xff, sizeof bytes);
  assert_int_equal(edgefw__crc32c(bytes, sizeof bytes), 0x62a8ab43u);
  for (unsigned b = 0; b < 32; ++b) bytes[b] = (unsigned char)b;
  assert_int_equal(edgefw__crc32c(bytes, sizeof bytes), 0x46dd794eu);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(published_values_come_out)};
  return test_run(tests, NULL, NULL);
}
