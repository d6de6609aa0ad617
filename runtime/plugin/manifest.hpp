// What a plugin says of itself, as the host keeps it: read from its file's note without running
// code, or from the descriptor that its entry returns. Both give one type, so they can be compared.
#pragma once

#include <ptp/abi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::plugin {

// The numbers of ptp/abi.h, with names that C++ code reads well.
enum class Kind : std::int32_t {
    task = PTP_TASK,
    model = PTP_MODEL,
    loss = PTP_LOSS,
    transform = PTP_TRANSFORM,
    statistic = PTP_STATISTIC,
    publisher = PTP_PUBLISHER,
    viewer = PTP_VIEWER
};

enum class Element : std::int32_t {
    floating = PTP_FLOAT,
    integer = PTP_INTEGER,
    boolean = PTP_BOOL,
    byte = PTP_BYTE,
    string = PTP_STRING,
    tokens = PTP_TOKENS,
    tensor_list = PTP_TENSOR_LIST,
    any = PTP_ANY
};

enum class SettingType : std::int32_t {
    boolean = PTP_SETTING_BOOL,
    integer = PTP_SETTING_INTEGER,
    real = PTP_SETTING_REAL,
    string = PTP_SETTING_STRING,
    path = PTP_SETTING_PATH,
    enumeration = PTP_SETTING_ENUMERATION,
    table = PTP_SETTING_TABLE,
    any = PTP_SETTING_ANY
};

enum class Direction : std::int32_t { input = PTP_INPUT, output = PTP_OUTPUT };

enum class GlobalAccess : std::int32_t {
    read = PTP_GLOBAL_READ,
    read_if_named = PTP_GLOBAL_READ_IF_NAMED,
    write = PTP_GLOBAL_WRITE,
    read_if_published = PTP_GLOBAL_READ_IF_PUBLISHED,
    write_if_named = PTP_GLOBAL_WRITE_IF_NAMED
};

enum class Aggregation : std::int32_t {
    mean = PTP_AGGREGATE_MEAN,
    sum = PTP_AGGREGATE_SUM,
    computed = PTP_AGGREGATE_COMPUTED
};

// The members mean what those of the same name in ptp/abi.h mean; absent text is empty or nullopt.

struct Setting {
    SettingType type = SettingType::any;
    std::uint32_t list_depth = 0;
    bool is_required = false;
    bool takes_list_or_one = false;
    bool is_output_file = false;
    bool takes_unlabeled = false;
    std::string name;
    std::optional<std::string> default_value;
    std::string range;
    std::string length;
    std::vector<std::string> choices;
    std::vector<Setting> members;
    std::string help;
    std::string obtain;

    bool operator==(const Setting&) const = default;
};

struct Port {
    Direction direction = Direction::input;
    Element element = Element::floating;
    bool is_optional = false;
    bool is_loss = false;
    bool is_reshaped = false;
    std::string name;
    std::string shape;
    std::string when;
    std::string streams_setting;
    std::string help;

    bool operator==(const Port&) const = default;
};

struct Global {
    GlobalAccess access = GlobalAccess::read;
    std::string name;
    std::string value;
    std::string when;
    std::string help;

    [[nodiscard]] bool is_written() const {
        return access == GlobalAccess::write || access == GlobalAccess::write_if_named;
    }
    // Whether the experiment must name a global for it before it is one.
    [[nodiscard]] bool is_only_if_named() const {
        return access == GlobalAccess::read_if_named || access == GlobalAccess::write_if_named;
    }

    bool operator==(const Global&) const = default;
};

struct Statistic {
    Aggregation aggregation = Aggregation::mean;
    bool is_hidden = false;
    bool is_integer = false;
    bool has_spread = false;
    bool is_set_only = false;
    std::int32_t decimals = 4;
    std::string name;
    std::string weight;
    std::string when;
    std::string help;

    bool operator==(const Statistic&) const = default;
};

struct Requirement {
    std::string relation;
    std::string message;
    std::string when;

    bool operator==(const Requirement&) const = default;
};

struct Component {
    Kind kind = Kind::model;
    std::string name;
    std::string summary;
    std::string description;
    std::vector<Setting> settings;
    std::vector<Port> ports;
    std::vector<Global> globals;
    std::vector<Statistic> statistics;
    std::vector<Requirement> requirements = {};
    std::string sample_count = {};

    // Ids of those that its code offered when the manifest was written. nullopt: it does not say,
    // as in a descriptor and in manifests of older builds.
    std::optional<std::vector<std::string>> abilities = {};

    bool operator==(const Component&) const = default;
};

struct Build {
    std::string libtorch;  // empty: without libtorch
    std::string standard_library;
    std::string sanitizer;
    std::string compiler;

    bool operator==(const Build&) const = default;
};

struct Manifest {
    std::uint32_t abi_major = 0;
    std::uint32_t abi_minor = 0;
    std::string name;
    std::string version;
    std::string license;  // SPDX
    std::string author;
    std::string homepage;
    Build build;
    std::vector<Component> components;

    bool operator==(const Manifest&) const = default;
};

}  // namespace ptp::plugin
