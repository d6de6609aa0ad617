/* A plugin with one transform, built once as it should be and once for each way to misbehave, chosen
 * by one definition: `y = x + N`, where N is the number of training steps, which its state keeps.
 * kit_test.cpp has the rule that finds each. */
#define _GNU_SOURCE
#include "parts.h"

#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct transform {
    instance base;
    int64_t count; /* of training steps */
    int64_t first_rows;
    int64_t width; /* the setting */
    ptp_data count_data;
    ptp_data state_data;
} transform;

/* ---- On the file ---- */

#if defined(MISBEHAVES_EXPORTS_MORE)
PTP_EXPORT int helper_of_the_kit(void);
int helper_of_the_kit(void) {
    return 1;
}
#elif defined(MISBEHAVES_UNIQUE_SYMBOL)
__asm__(
    ".globl shared_by_the_kit\n.type shared_by_the_kit, @gnu_unique_object\n"
    ".section .data\nshared_by_the_kit: .long 1\n.size shared_by_the_kit, 4\n.text\n");
#elif defined(MISBEHAVES_THREAD_LOCAL_DESTRUCTOR)
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);
extern void* __dso_handle;
#elif defined(MISBEHAVES_CODE_RELOCATION)
__asm__(".text\n.quad ptp_plugin_entry\n");
#elif defined(MISBEHAVES_MISSING_LIBRARY) || defined(MISBEHAVES_MISSING_LIBTORCH)
int function_of_a_missing_library(void);
#endif

/* ---- create() and destroy() ---- */

#if defined(MISBEHAVES_DESTROYS_SHARED)
static volatile int* shared_table;
#endif

#if defined(MISBEHAVES_CRASHES_AT_LIMIT) || defined(MISBEHAVES_HANGS_AT_LIMIT) || \
    defined(MISBEHAVES_REFUSES_DEFAULT)
static int64_t width_of(const ptp_setup* setup) {
    return setup->settings[0]->integer;
}
#endif

static ptp_status create_transform(const ptp_host* host, const ptp_setup* setup,
                                   void** out_instance) {
    transform* const made = calloc(1, sizeof *made);
    made->base.host = host;
    made->width = setup->settings[0]->integer;
#if defined(MISBEHAVES_CREATED_ONCE)
    static int is_created;
    if (is_created++ > 0) {
        host->fail(host->context, PTP_ERROR_INTERNAL, "there is one already");
        free(made);
        return PTP_ERROR_INTERNAL;
    }
#elif defined(MISBEHAVES_DESTROYS_SHARED)
    if (shared_table == NULL) {
        shared_table = calloc(1, sizeof *shared_table);
    }
#elif defined(MISBEHAVES_REFUSES_DEFAULT)
    if (width_of(setup) == 3) {
        const ptp_failure failure = {.struct_size = sizeof failure,
                                     .status = PTP_ERROR_CONFIG,
                                     .message = "must be even",
                                     .setting = "width"};
        host->fail_with(host->context, &failure);
        free(made);
        return PTP_ERROR_CONFIG;
    }
#elif defined(MISBEHAVES_CRASHES_AT_LIMIT)
    if (width_of(setup) == 8) {
        raise(SIGSEGV);
    }
#elif defined(MISBEHAVES_HANGS_AT_LIMIT)
    while (width_of(setup) == 1) {
        sched_yield();
    }
#elif defined(MISBEHAVES_CRASHES_AT_MEMBER)
    if (setup->settings[2]->items[0].integer == 6) {
        raise(SIGSEGV);
    }
#elif defined(MISBEHAVES_CRASHES_AT_CHOICE)
    if (strcmp(setup->settings[1]->text, "fast") == 0) {
        abort();
    }
#elif defined(MISBEHAVES_THREAD_LOCAL_DESTRUCTOR)
    if (host == NULL) {
        __cxa_thread_atexit_impl(free, NULL, &__dso_handle);
    }
#elif defined(MISBEHAVES_MISSING_LIBRARY) || defined(MISBEHAVES_MISSING_LIBTORCH)
    made->count = function_of_a_missing_library();
#endif
    *out_instance = made;
    return PTP_OK;
}

static void destroy_transform(void* self) {
#if defined(MISBEHAVES_DESTROYS_SHARED)
    free((void*)shared_table);
    shared_table = NULL;
#endif
    free(self);
}

/* ---- Steps ---- */

/* What happens before the outputs are made. */
static void begin_step(transform* self, int64_t rows) {
    (void)self;
    (void)rows;
    change_process();
#if defined(MISBEHAVES_DESTROYS_SHARED)
    ++shared_table[0];
#elif defined(MISBEHAVES_CRASHES_ON_EMPTY)
    if (rows == 0) {
        raise(SIGFPE);
    }
#elif defined(MISBEHAVES_DRAWS_RAND)
    (void)rand();
#elif defined(MISBEHAVES_DRAWS_DRAND48)
    (void)drand48();
#elif defined(MISBEHAVES_WRITES_HERE)
    FILE* const file = fopen("notes.txt", "w");
    if (file != NULL) {
        fclose(file);
    }
#elif defined(MISBEHAVES_WRITES_MUCH)
    char name[32];
    for (int i = 0; i < 70; ++i) {
        snprintf(name, sizeof name, "%02d", i);
        const int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file >= 0) {
            close(file);
        }
    }
#elif defined(MISBEHAVES_EXITS)
    _exit(0);
#endif
}

#if defined(MISBEHAVES_TAKES_SHAPES)
/* Numbers of an input of any size, each where it is in memory, and 0 where there is none. */
static float number_of(const ptp_tensor_view* in, int64_t i) {
    int64_t bytes = in->type_bits / 8;
    if (in->rank == 2 && in->shape[1] == kWidth && in->type_bits == 32) {
        return number_at(in, i);
    }
    for (int32_t d = 0; d < in->rank; ++d) {
        bytes *= in->shape[d];
    }
    return i < bytes / 4 ? ((const float*)((const char*)in->data + in->byte_offset))[i] : 0.0F;
}
#endif

/* Rows and shape of the output. */
static int32_t shape_of(transform* self, int64_t rows, int64_t* shape) {
    shape[0] = rows;
    shape[1] = kWidth;
    (void)self;
#if defined(MISBEHAVES_KEEPS_BATCH_SIZE)
    self->first_rows = self->first_rows == 0 ? rows : self->first_rows;
    shape[0] = self->first_rows;
#elif defined(MISBEHAVES_SQUEEZES)
    if (rows == 1) {
        shape[0] = kWidth;
        return 1;
    }
#endif
    return 2;
}

static float added(transform* self) {
#if defined(MISBEHAVES_USES_CLOCK)
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (float)(now.tv_nsec % 1000000) + (float)self->count;
#else
    return (float)self->count;
#endif
}

static ptp_status compute(transform* self, int64_t rows, const ptp_value* const* given,
                          ptp_value* const* made) {
    const ptp_host* const host = self->base.host;
    ptp_tensor_view in;
    ptp_tensor_view out;
    int64_t shape[2];
    int32_t rank;
    ptp_status status = host->tensor_view(host->context, given[0], &in);
    if (status != PTP_OK) {
        return status;
    }
#if !defined(MISBEHAVES_TRUSTS_SHAPES) && !defined(MISBEHAVES_TAKES_SHAPES)
    if (in.rank != 2 || in.shape[1] != kWidth || in.type_code != kFloat || in.type_bits != 32) {
        host->fail(host->context, PTP_ERROR_DATA, "is not a matrix of four columns");
        return PTP_ERROR_DATA;
    }
#endif
    begin_step(self, rows);
    rank = shape_of(self, rows, shape);
    status = host->tensor_allocate(host->context, made[0], kFloat, 32, rank, shape, &out);
    if (status != PTP_OK) {
        return status;
    }
    float* const y = (float*)((char*)out.data + out.byte_offset);
    const int64_t count = rank == 1 ? shape[0] : shape[0] * shape[1];
    const float more = added(self);
#if defined(MISBEHAVES_SHARES_SCRATCH)
    static volatile float scratch[64];
    static atomic_int callers;
    /* Waits a little for a second caller: threads rarely meet on a busy machine. */
    atomic_fetch_add(&callers, 1);
    for (int i = 0; i < 200 && atomic_load(&callers) < 2; ++i) {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    for (int64_t i = 0; i < count; ++i) {
        scratch[i % 64] = number_at(&in, i);
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        y[i] = scratch[i % 64] + more;
    }
    atomic_fetch_sub(&callers, 1);
#elif defined(MISBEHAVES_TAKES_SHAPES)
    for (int64_t i = 0; i < count; ++i) {
        y[i] = number_of(&in, i) + more;
    }
#elif defined(MISBEHAVES_LEAVES_MEMORY)
    (void)more;
    for (int64_t i = 0; i < count; i += 2) {
        y[i] = number_at(&in, i);
    }
#else
    for (int64_t i = 0; i < count; ++i) {
        y[i] = number_at(&in, i % (rows * kWidth)) + more;
    }
#endif
#if defined(MISBEHAVES_CHANGES_INPUT)
    if (count > 0) {
        ((float*)in.data)[0] = 7.0F;
    }
#endif
    return PTP_OK;
}

FORWARD(forward_transform) {
    transform* const made = self;
#if defined(MISBEHAVES_FAILS_IN_EVALUATION)
    if (!step->is_training) {
        const ptp_host* const host = made->base.host;
        host->fail(host->context, PTP_ERROR_INTERNAL, "there is nothing to learn from");
        return PTP_ERROR_INTERNAL;
    }
#elif defined(MISBEHAVES_FAILS_IN_FORWARD)
    const ptp_host* const host = made->base.host;
    host->fail(host->context, PTP_ERROR_INTERNAL, "boom");
    return PTP_ERROR_INTERNAL;
#elif defined(MISBEHAVES_CRASHES_AT_LIMIT_LATER)
    if (!step->is_training && made->width == 8) {
        raise(SIGSEGV);
    }
#endif
    const ptp_status status = compute(made, (int64_t)step->batch_size, inputs, outputs);
    if (status == PTP_OK && step->is_training) {
        ++made->count;
    }
    return status;
}

/* ---- Abilities ---- */

#if defined(MISBEHAVES_SHARES_SCRATCH)
static ptp_status transform_samples(void* self, const ptp_samples* samples,
                                    const ptp_value* const* inputs, ptp_value* const* outputs) {
    return compute(self, (int64_t)samples->count, inputs, outputs);
}
#else
static ptp_status export_state(void* self, const ptp_data** out) {
    transform* const made = self;
#if defined(MISBEHAVES_EXPORT_CHANGES)
    ++made->count;
#endif
    made->count_data = (ptp_data){.type = PTP_DATA_INTEGER, .key = "count"};
#if !defined(MISBEHAVES_FORGETS)
    made->count_data.integer = made->count;
#endif
    made->state_data =
        (ptp_data){.type = PTP_DATA_TABLE, .items = &made->count_data, .item_count = 1};
    *out = &made->state_data;
    return PTP_OK;
}

static ptp_status import_state(void* self, uint32_t version, const ptp_data* state) {
    (void)version;
    ((transform*)self)->count = state->items[0].integer;
#if defined(MISBEHAVES_IMPORT_CHANGES)
    ++((transform*)self)->count;
#endif
    return PTP_OK;
}
#endif

static const void* transform_extension(const char* id) {
#if defined(MISBEHAVES_SHARES_SCRATCH)
    static const ptp_sample_transform ability = {sizeof(ptp_sample_transform), transform_samples};
    return strcmp(id, PTP_EXTENSION_SAMPLES) == 0 ? &ability : NULL;
#else
    static const ptp_state ability = {sizeof(ptp_state), 1, export_state, import_state};
#if defined(MISBEHAVES_CLAIMS_ANYTHING)
    (void)id;
    return &ability;
#else
    return strcmp(id, PTP_EXTENSION_STATE) == 0 ? &ability : NULL;
#endif
#endif
}

/* ---- Declarations ---- */

static const ptp_setting_info width = {.struct_size = sizeof(ptp_setting_info),
                                       .type = PTP_SETTING_INTEGER,
                                       .name = "width",
#if !defined(MISBEHAVES_FAILS_IN_EVALUATION) /* which makes one up */
                                       .default_value = "3",
#else
                                       .flags = PTP_SETTING_REQUIRED,
#endif
                                       .range = "[1, 8]",
                                       .help = "Changes nothing"};
static const ptp_setting_info mode = {.struct_size = sizeof(ptp_setting_info),
                                      .type = PTP_SETTING_ENUMERATION,
                                      .name = "mode",
                                      .default_value = "\"exact\"",
                                      .choices = "exact|fast",
                                      .help = "Changes nothing"};
static const ptp_setting_info border_size = {.struct_size = sizeof(ptp_setting_info),
                                             .type = PTP_SETTING_INTEGER,
                                             .name = "size",
                                             .default_value = "2",
                                             .range = "[0, 6]",
                                             .help = "Changes nothing"};
static const ptp_setting_info* const border_members[] = {&border_size};
static const ptp_setting_info border = {.struct_size = sizeof(ptp_setting_info),
                                        .type = PTP_SETTING_TABLE,
                                        .name = "border",
                                        .default_value = "{ size = 2 }",
                                        .members = border_members,
                                        .member_count = COUNT(border_members),
                                        .help = "Changes nothing"};
static const ptp_setting_info* const settings[] = {&width, &mode, &border};

static const ptp_component_info misbehaving = {.struct_size = sizeof(ptp_component_info),
                                               .kind = PTP_TRANSFORM,
                                               .name = "Misbehaving",
                                               .summary = "Adds the number of training steps",
                                               .settings = settings,
                                               .setting_count = COUNT(settings),
                                               .port_count = COUNT(transform_ports),
                                               .ports = transform_ports,
                                               .create = create_transform,
                                               .destroy = destroy_transform,
                                               .forward = forward_transform,
                                               .extension = transform_extension};

static const ptp_component_info* const components[] = {&misbehaving};
static const ptp_plugin_info plugin = {.abi_major = PTP_ABI_MAJOR,
                                       .abi_minor = PTP_ABI_MINOR,
                                       .struct_size = sizeof(ptp_plugin_info),
                                       .component_count = COUNT(components),
                                       .name = "kit",
                                       .version = "0.1.0",
                                       .build = &build,
                                       .components = components};

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &plugin;
}
