/* A plugin with one model, built once as it should be and once for each way to be wrong, chosen by
 * one definition. What is wrong here shows by looking at the plugin or by loading it; components
 * that misbehave while they work are in hostile_components.c. */
#include <ptp/abi.h>
#include <ptp/ext/parameters.h>

#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(HOSTILE_ROUNDING)
__attribute__((constructor)) static void change_rounding(void) {
    fesetround(FE_UPWARD);
}
#endif

#if defined(HOSTILE_TALKS)
__attribute__((constructor)) static void talk(void) {
    puts("noise of a constructor");
    fflush(stdout);
}
#endif

__attribute__((unused)) static ptp_status create(const ptp_host* host, const ptp_setup* setup,
                                                 void** out_instance) {
    static int instance;
    (void)host;
    (void)setup;
    *out_instance = &instance;
    return PTP_OK;
}

static void destroy(void* instance) {
    (void)instance;
}

__attribute__((unused)) static ptp_status forward(void* instance, const ptp_step* step,
                                                  const ptp_value* const* inputs,
                                                  ptp_value* const* outputs) {
    (void)instance;
    (void)step;
    (void)inputs;
    (void)outputs;
    return PTP_OK;
}

#if defined(HOSTILE_NO_PARAMETERS)
static const void* extension(const char* id) {
    (void)id;
    return NULL;
}
#else
static ptp_status visit_nothing(void* instance, ptp_visit visit, void* user) {
    (void)instance;
    (void)visit;
    (void)user;
    return PTP_OK;
}

static const void* extension(const char* id) {
    static const ptp_parameters parameters = {sizeof(ptp_parameters), visit_nothing};
    return strcmp(id, PTP_EXTENSION_PARAMETERS) == 0 ? &parameters : NULL;
}
#endif

#if defined(HOSTILE_TABLE_IN_ITSELF)
static const ptp_setting_info* const settings[1];
#endif

static const ptp_setting_info width = {.struct_size = sizeof(ptp_setting_info),
#if defined(HOSTILE_BAD_TYPE)
                                       .type = 99,
#else
                                       .type = PTP_SETTING_INTEGER,
#endif
#if defined(HOSTILE_RESERVED_NAME)
                                       .name = "streams",
#else
                                       .name = "width",
#endif
#if defined(HOSTILE_LIES)
                                       .default_value = "4",
#elif defined(HOSTILE_BAD_DEFAULT)
                                       .default_value = "\"three\"",
#elif defined(HOSTILE_DEFAULT_OUT_OF_RANGE)
                                       .default_value = "-3",
#else
                                       .default_value = "3",
#endif
                                       .range = "[1, inf)",
#if defined(HOSTILE_TABLE_IN_ITSELF)
                                       .members = settings,
                                       .member_count = 1,
#endif
#if defined(HOSTILE_NO_HELP)
                                       .help = ""};
#else
                                       .help = "Number of units"};
#endif

static const ptp_port_info inputs = {.struct_size = sizeof(ptp_port_info),
                                     .direction = PTP_INPUT,
                                     .element = PTP_FLOAT,
                                     .name = "inputs",
                                     .shape = "B,input_size",
#if defined(HOSTILE_NOT_UTF8)
                                     .help = "caf\xe9"};
#else
                                     .help = "A row for each sample"};
#endif

static const ptp_port_info predictions = {.struct_size = sizeof(ptp_port_info),
                                          .direction = PTP_OUTPUT,
                                          .element = PTP_FLOAT,
#if defined(HOSTILE_UNKNOWN_FLAG)
                                          .flags = 0x80,
#endif
                                          .name = "predictions",
                                          .shape = "B,$width",
                                          .help = "A row for each sample"};

static const ptp_setting_info* const settings[] = {&width};
#if defined(HOSTILE_NULL_PORT)
static const ptp_port_info* const ports[] = {&inputs, NULL, &predictions};
#else
__attribute__((unused)) static const ptp_port_info* const ports[] = {&inputs, &predictions};
#endif

static const ptp_component_info model = {
#if defined(HOSTILE_SMALL_STRUCT)
    .struct_size = 8,
#else
    .struct_size = sizeof(ptp_component_info),
#endif
#if defined(HOSTILE_FORWARD_OF_TASK)
    .kind = PTP_TASK,
#else
    .kind = PTP_MODEL,
#endif
#if defined(HOSTILE_NULL_NAME)
    .name = NULL,
#else
    .name = "HostileModel",
#endif
    .summary = "Does nothing",
    .settings = settings,
    .setting_count = 1,
    .port_count = 2,
#if !defined(HOSTILE_NULL_PORTS)
    .ports = ports,
#endif
#if !defined(HOSTILE_NULL_CREATE)
    .create = create,
#endif
    .destroy = destroy,
#if !defined(HOSTILE_NULL_FORWARD)
    .forward = forward,
#endif
    .extension = extension};

static const ptp_build build = {.struct_size = sizeof(ptp_build),
                                .libtorch = HOSTILE_LIBTORCH,
                                .standard_library = "libstdc++ cxx11",
                                .sanitizer = "none",
                                .compiler = "a C compiler"};

#if defined(HOSTILE_DUPLICATE_TYPE)
static const ptp_component_info* const components[] = {&model, &model};
#else
static const ptp_component_info* const components[] = {&model};
#endif

static const ptp_plugin_info plugin = {
#if defined(HOSTILE_WRONG_MAJOR)
    .abi_major = 9,
#else
    .abi_major = PTP_ABI_MAJOR,
#endif
#if defined(HOSTILE_WRONG_MINOR)
    .abi_minor = 77,
#else
    .abi_minor = PTP_ABI_MINOR,
#endif
    .struct_size = sizeof(ptp_plugin_info),
#if defined(HOSTILE_GARBAGE_COUNT)
    .component_count = 0xdeadbeef,
#else
    .component_count = sizeof(components) / sizeof(components[0]),
#endif
    .name = "hostile",
    .version = "0.1.0",
    .build = &build,
    .components = components};

#if !defined(HOSTILE_NO_ENTRY)
const ptp_plugin_info* ptp_plugin_entry(void) {
#if defined(HOSTILE_CRASH)
    raise(SIGSEGV);
#elif defined(HOSTILE_KILLED)
    raise(SIGKILL);  // as the system does when memory is short
#elif defined(HOSTILE_CHANGED)
    FILE* const file = fopen(getenv("HOSTILE_FILE"), "ab");
    fputc(0, file);
    fclose(file);
#elif defined(HOSTILE_HANG)
    for (volatile int forever = 1; forever;) {
    }
#elif defined(HOSTILE_NULL_ENTRY)
    return NULL;
#endif
    return &plugin;
}
#else
const void* not_the_entry(void);
const void* not_the_entry(void) {
    return &plugin;
}
#endif
