/* What crosses between the ranks of a training. */
#include "train/share.h"

#include <string.h>

static const edgefw__engine *engine_of(const edgefw__share *s) {
  return s->model->engine;
}

static size_t real_of(const edgefw__share *s) {
  return edgefw__real_size(engine_of(s)->kernels);
}

static int64_t total_of(const edgefw__share *s) {
  return s->model->parameters->total;
}

static edgefw__range part_of(const edgefw__share *s, int rank) {
  return edgefw__slice_part(total_of(s), rank, s->group->ranks);
}

/* --- Memory --- */

edgefw_status edgefw__share_begin(edgefw__model *model, edgefw__share *out) {
  const edgefw__engine *engine = model->engine;
  const size_t ranks = (size_t)engine->group->ranks;
  *out = (edgefw__share){.model = model, .group = engine->group};
  out->part = part_of(out, out->group->rank);
  const size_t bytes = (size_t)out->part.count * real_of(out);
  const bool apart = edgefw__engine_has_memory(engine);
  /* One rank's parts of both moments, or all of the parameters, may come at once, too. */
  const size_t total = (size_t)total_of(out) * real_of(out), inbox = ranks * bytes;
  out->sum = engine->kernels->allocate(engine->device, bytes, "the sum of gradients");
  out->inbox = edgefw_allocate(engine->ctx, inbox > total ? inbox : total, 1, "an exchange");
  out->outbox = edgefw_allocate(engine->ctx, total, 1, "an exchange");
  out->numbers = edgefw_allocate(engine->ctx, 4 * ranks, sizeof *out->numbers, "an exchange");
  if (!out->sum || !out->inbox || !out->outbox || !out->numbers) return edgefw_failure(engine->ctx);
  if (!apart) return EDGEFW_OK;
  if (edgefw__group_reaches_devices(out->group)) {
    out->device_inbox =
        engine->kernels->allocate(engine->device, inbox > total ? inbox : total, "an exchange");
    if (!out->device_inbox) return edgefw_failure(engine->ctx);
  }
  out->received = engine->kernels->allocate(engine->device, bytes, "a slice's gradient");
  out->wide = edgefw_allocate(engine->ctx, (size_t)total_of(out), sizeof *out->wide, "an exchange");
  return out->received && out->wide ? EDGEFW_OK : edgefw_failure(engine->ctx);
}

void edgefw__share_end(edgefw__share *share) {
  if (!share->model) return;
  const edgefw__engine *engine = engine_of(share);
  edgefw_release(engine->ctx, share->numbers);
  edgefw_release(engine->ctx, share->wide);
  edgefw_release(engine->ctx, share->outbox);
  edgefw_release(engine->ctx, share->inbox);
  if (share->device_inbox) engine->kernels->release(engine->device, share->device_inbox);
  if (share->received) engine->kernels->release(engine->device, share->received);
  if (share->sum) engine->kernels->release(engine->device, share->sum);
  *share = (edgefw__share){0};
}

/* --- Between device and host --- */

/* The first `count` numbers of a device array, in the host's memory: themselves, or a copy in the
 * outbox, made at once. */
static const char *to_host(edgefw__share *s, void *array, int64_t count) {
  const edgefw__engine *engine = engine_of(s);
  if (!edgefw__engine_has_memory(engine)) return array;
  engine->kernels->download(engine->device, s->wide, array, count);
  float *narrow = (float *)(void *)s->outbox;
  if (engine->kernels->dtype == EDGEFW_F64) {
    memcpy(s->outbox, s->wide, (size_t)count * sizeof *s->wide);
    return s->outbox;
  }
  for (int64_t e = 0; e < count; ++e) narrow[e] = (float)s->wide[e];
  return s->outbox;
}

/* `count` numbers from the host into a device array. */
static void to_device(const edgefw__share *s, void *array, const char *host, int64_t count) {
  const edgefw__engine *engine = engine_of(s);
  if (!edgefw__engine_has_memory(engine)) {
    memcpy(array, host, (size_t)count * real_of(s));
    return;
  }
  if (engine->kernels->dtype == EDGEFW_F64)
    memcpy(s->wide, host, (size_t)count * sizeof *s->wide);
  else
    for (int64_t e = 0; e < count; ++e) s->wide[e] = (double)((const float *)(const void *)host)[e];
  engine->kernels->upload(engine->device, array, s->wide, count);
}

/* --- Exchanges --- */

/* Places and bytes, 0 at first. */
static edgefw_exchange nothing(const edgefw__share *s, const void *send, void *receive) {
  const size_t ranks = (size_t)s->group->ranks;
  memset(s->numbers, 0, 4 * ranks * sizeof *s->numbers);
  return (edgefw_exchange){.send = send,
                           .send_at = s->numbers,
                           .send_bytes = s->numbers + ranks,
                           .receive = receive,
                           .receive_at = s->numbers + 2 * ranks,
                           .receive_bytes = s->numbers + 3 * ranks};
}

static void set_send(const edgefw__share *s, int rank, size_t at, size_t bytes) {
  s->numbers[rank] = at;
  s->numbers[s->group->ranks + rank] = bytes;
}

static void set_receive(const edgefw__share *s, int rank, size_t at, size_t bytes) {
  s->numbers[2 * s->group->ranks + rank] = at;
  s->numbers[3 * s->group->ranks + rank] = bytes;
}

/* Between the devices, once this one has done what it was asked to. */
static edgefw_status exchange_on_device(edgefw__share *s, const edgefw_exchange *parts) {
  const edgefw_status done = edgefw__engine_finish(engine_of(s));
  const edgefw_status status = edgefw__group_exchange_on_device(s->group, parts);
  return done == EDGEFW_OK ? status : done;
}

/* Device arrays add up: sum (+)= slice, or begins as its copy. */
static edgefw_status add(const edgefw__share *s, void *slice, int64_t count, bool begins,
                         void *sum) {
  const edgefw__engine *engine = engine_of(s);
  const edgefw_weighted_sum_args args = {.count = count,
                                         .a = 1.0,
                                         .b = begins ? 0.0 : 1.0, /* 0: an exact copy */
                                         .x = slice,
                                         .y = begins ? slice : sum,
                                         .out = sum};
  return engine->kernels->weighted_sum(engine->device, &args);
}

/* The part that came from a rank, on the device. */
static void *received_from(const edgefw__share *s, int rank) {
  const size_t at = (size_t)rank * (size_t)s->part.count * real_of(s);
  if (s->device_inbox) return (char *)s->device_inbox + at;
  if (!s->received) return s->inbox + at;
  to_device(s, s->received, s->inbox + at, s->part.count);
  return s->received;
}

edgefw_status edgefw__share_add(edgefw__share *share, int makers, bool first) {
  edgefw__share *s = share;
  const size_t real = real_of(s), bytes = (size_t)s->part.count * real;
  const bool makes = s->group->rank < makers, direct = s->device_inbox != NULL;
  void *gradients = s->model->parameters->gradients;
  const char *outbox = direct ? gradients : makes ? to_host(s, gradients, total_of(s)) : s->outbox;
  edgefw_exchange parts = nothing(s, outbox, direct ? s->device_inbox : s->inbox);
  for (int r = 0; r < s->group->ranks; ++r) {
    const edgefw__range part = part_of(s, r);
    if (makes) set_send(s, r, (size_t)part.begin * real, (size_t)part.count * real);
    if (r < makers) set_receive(s, r, (size_t)r * bytes, bytes);
  }
  edgefw_status status =
      direct ? exchange_on_device(s, &parts) : edgefw__group_exchange(s->group, &parts);
  for (int r = 0; status == EDGEFW_OK && r < makers && s->part.count > 0; ++r)
    status = add(s, received_from(s, r), s->part.count, first && r == 0, s->sum);
  return status;
}

edgefw_status edgefw__share_squares(const edgefw__share *share,
                                    double squares[EDGEFW__SLICE_BLOCKS]) {
  const edgefw__share *s = share;
  const size_t bytes = EDGEFW__SLICE_BLOCKS * sizeof *squares, ranks = (size_t)s->group->ranks;
  edgefw_context *ctx = engine_of(s)->ctx;
  double *all = edgefw_allocate(ctx, ranks * EDGEFW__SLICE_BLOCKS, sizeof *all, "an exchange");
  if (!all) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__group_gather(s->group, squares, bytes, all);
  const int64_t block = edgefw__slice_block(total_of(s));
  for (int r = 0; r < s->group->ranks; ++r) {
    const edgefw__range part = part_of(s, r);
    for (int64_t b = part.begin / block; b * block < part.begin + part.count; ++b)
      squares[b] = all[r * EDGEFW__SLICE_BLOCKS + b];
  }
  edgefw_release(ctx, all);
  return status;
}

edgefw_status edgefw__share_gather(edgefw__share *share) {
  edgefw__share *s = share;
  const size_t real = real_of(s);
  char *values = s->model->parameters->values;
  char *part_of_values = values + (size_t)s->part.begin * real;
  const bool direct = s->device_inbox != NULL;
  /* Its own part goes out as a copy: what is sent and what is received must not overlap. */
  const char *own = direct ? part_of_values : to_host(s, part_of_values, s->part.count);
  if (!direct && own != s->outbox) memcpy(s->outbox, own, (size_t)s->part.count * real);
  edgefw_exchange parts =
      direct ? nothing(s, own, s->device_inbox) : nothing(s, s->outbox, s->inbox);
  for (int r = 0; r < s->group->ranks; ++r) {
    const edgefw__range part = part_of(s, r);
    set_send(s, r, 0, (size_t)s->part.count * real);
    set_receive(s, r, (size_t)part.begin * real, (size_t)part.count * real);
  }
  const edgefw_status status =
      direct ? exchange_on_device(s, &parts) : edgefw__group_exchange(s->group, &parts);
  if (status == EDGEFW_OK && direct) return add(s, s->device_inbox, total_of(s), true, values);
  if (status == EDGEFW_OK) to_device(s, values, s->inbox, total_of(s));
  return status;
}

edgefw_status edgefw__share_figures(const edgefw__share *share, int64_t slice, int64_t count,
                                    double *figures) {
  const edgefw__share *s = share;
  edgefw_context *ctx = engine_of(s)->ctx;
  const int64_t ranks = s->group->ranks, rounds = (count + slice * ranks - 1) / (slice * ranks);
  const size_t most = (size_t)(rounds * slice), bytes = most * sizeof *figures;
  double *own = edgefw_allocate(ctx, most * (size_t)(ranks + 1), sizeof *own, "an exchange");
  if (!own) return edgefw_failure(ctx);
  double *all = own + most;
  for (int64_t k = 0; k < rounds * slice; ++k) {
    const int64_t b = (k / slice * ranks + s->group->rank) * slice + k % slice;
    if (b < count) own[k] = figures[b];
  }
  edgefw_exchange parts = nothing(s, own, all);
  set_send(s, 0, 0, bytes);
  for (int r = 0; s->group->rank == 0 && r < ranks; ++r)
    set_receive(s, r, (size_t)r * bytes, bytes);
  const edgefw_status status = edgefw__group_exchange(s->group, &parts);
  for (int64_t b = 0; s->group->rank == 0 && b < count; ++b) {
    const int64_t number = b / slice;
    figures[b] = all[number % ranks * (int64_t)most + number / ranks * slice + b % slice];
  }
  edgefw_release(ctx, own);
  return status;
}

/* --- State --- */

static edgefw_status spread_array(edgefw__share *s, void *array) {
  const size_t bytes = (size_t)total_of(s) * real_of(s);
  if (s->group->rank == 0) {
    const char *host = to_host(s, array, total_of(s));
    if (host != s->outbox) memcpy(s->outbox, host, bytes);
  }
  const edgefw_status status = edgefw__group_broadcast(s->group, s->outbox, bytes);
  if (status == EDGEFW_OK && s->group->rank != 0) to_device(s, array, s->outbox, total_of(s));
  return status;
}

/* Of one moment, to the ranks whose parts they are, or from them (`collect`). */
static edgefw_status move_moment(edgefw__share *s, void *array, bool collect) {
  const size_t real = real_of(s), bytes = (size_t)s->part.count * real;
  const bool leads = s->group->rank == 0, sends = leads != collect;
  const int64_t held = leads ? total_of(s) : s->part.count;
  const char *outbox = to_host(s, array, held);
  edgefw_exchange parts = nothing(s, outbox, s->inbox);
  for (int r = 1; leads && r < s->group->ranks; ++r) {
    const edgefw__range part = part_of(s, r);
    const size_t at = (size_t)part.begin * real, size = (size_t)part.count * real;
    sends ? set_send(s, r, at, size) : set_receive(s, r, at, size);
  }
  if (!leads && sends) set_send(s, 0, 0, bytes);
  if (!leads && !sends) set_receive(s, 0, 0, bytes);
  const edgefw_status status = edgefw__group_exchange(s->group, &parts);
  if (status != EDGEFW_OK || sends) return status;
  if (!leads) {
    to_device(s, array, s->inbox, s->part.count);
  } else {
    /* Parts follow one another, and its own is the first. */
    memcpy(s->inbox, outbox, bytes);
    to_device(s, array, s->inbox, total_of(s));
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__share_spread(edgefw__share *share) {
  edgefw__share *s = share;
  edgefw__parameters *parameters = s->model->parameters;
  edgefw_status status = spread_array(s, parameters->values);
  if (status == EDGEFW_OK && parameters->ema) status = spread_array(s, parameters->ema);
  if (status == EDGEFW_OK && s->group->rank != 0)
    status = edgefw__parameters_keep_moments(parameters, s->part.begin, s->part.count);
  status = edgefw__group_agree(s->group, status); /* there may be no memory on one of them */
  if (status == EDGEFW_OK) status = move_moment(s, parameters->first_moment, false);
  return status == EDGEFW_OK ? move_moment(s, parameters->second_moment, false) : status;
}

edgefw_status edgefw__share_collect(edgefw__share *share) {
  const edgefw__parameters *parameters = share->model->parameters;
  const edgefw_status status = move_moment(share, parameters->first_moment, true);
  return status == EDGEFW_OK ? move_moment(share, parameters->second_moment, true) : status;
}
