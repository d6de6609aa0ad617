// A plugin's declarations in the host: read from its file's note without running code, or from the
// descriptor that its entry returns. Both have one type, so that they can be compared.
#pragma once

#include <ptp/abi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::plugin {

// The enumerations of ptp/abi.h and ptp/declarations.h with C++ names.
enum class Kind : std::int32_t {
    kTask = PTP_TASK,
    kModel = PTP_MODEL,
    kLoss = PTP_LOSS,
    kTransform = PTP_TRANSFORM,
    kStatistic = PTP_STATISTIC,
    kPublisher = PTP_PUBLISHER,
    kViewer = PTP_VIEWER
};

enum class Element : std::int32_t {
    kFloating = PTP_FLOAT,
    kInteger = PTP_INTEGER,
    kBoolean = PTP_BOOL,
    kByte = PTP_BYTE,
    kString = PTP_STRING,
    kTokens = PTP_TOKENS,
    kTensorList = PTP_TENSOR_LIST,
    kAny = PTP_ANY
};

// Returns whether it is a text for each sample, or its words.
constexpr bool is_text(Element element) {
    return element == Element::kString || element == Element::kTokens;
}

enum class SettingType : std::int32_t {
    kBoolean = PTP_SETTING_BOOL,
    kInteger = PTP_SETTING_INTEGER,
    kReal = PTP_SETTING_REAL,
    kString = PTP_SETTING_STRING,
    kPath = PTP_SETTING_PATH,
    kEnumeration = PTP_SETTING_ENUMERATION,
    kTable = PTP_SETTING_TABLE,
    kAny = PTP_SETTING_ANY,
    kLayers = PTP_SETTING_LAYERS
};

enum class Direction : std::int32_t { kInput = PTP_INPUT, kOutput = PTP_OUTPUT };

enum class GlobalAccess : std::int32_t {
    kRead = PTP_GLOBAL_READ,
    kReadIfNamed = PTP_GLOBAL_READ_IF_NAMED,
    kWrite = PTP_GLOBAL_WRITE,
    kReadIfPublished = PTP_GLOBAL_READ_IF_PUBLISHED,
    kWriteIfNamed = PTP_GLOBAL_WRITE_IF_NAMED
};

enum class Aggregation : std::int32_t {
    kMean = PTP_AGGREGATE_MEAN,
    kSum = PTP_AGGREGATE_SUM,
    kComputed = PTP_AGGREGATE_COMPUTED
};

enum class Purpose : std::int32_t {
    kDataFolder = PTP_PURPOSE_DATA_FOLDER,
    kTableFormat = PTP_PURPOSE_TABLE_FORMAT,
    kSeparator = PTP_PURPOSE_SEPARATOR,
    kSplit = PTP_PURPOSE_SPLIT,
    kLabelColumn = PTP_PURPOSE_LABEL_COLUMN,
    kValueColumns = PTP_PURPOSE_VALUE_COLUMNS,
    kUnlistedRows = PTP_PURPOSE_UNLISTED_ROWS,
    kMissingClasses = PTP_PURPOSE_MISSING_CLASSES,
    kClassNames = PTP_PURPOSE_CLASS_NAMES,
    kVocabulary = PTP_PURPOSE_VOCABULARY,
    kUnknownWords = PTP_PURPOSE_UNKNOWN_WORDS,
    kClassCount = PTP_PURPOSE_CLASS_COUNT,
    kScoreCount = PTP_PURPOSE_SCORE_COUNT,
    kIgnoredTarget = PTP_PURPOSE_IGNORED_TARGET,
    kTargets = PTP_PURPOSE_TARGETS,
    kFiles = PTP_PURPOSE_FILES
};

// The members correspond to those of the same name in ptp/declarations.h and ptp/abi.h; absent text
// is empty or nullopt.

struct Setting {
    SettingType type = SettingType::kAny;
    std::uint32_t list_depth = 0;
    bool is_required = false;
    bool takes_list_or_one = false;
    bool is_output_file = false;
    bool takes_unlabeled = false;
    bool is_preparation = false;
    std::string name;
    std::optional<std::string> default_value;
    std::string range;
    std::string length;
    std::vector<std::string> choices;
    std::vector<Setting> members;
    std::string help;
    std::string obtain;
    std::optional<Purpose> purpose = {};

    bool operator==(const Setting&) const = default;
};

struct Port {
    Direction direction = Direction::kInput;
    Element element = Element::kFloating;
    bool is_optional = false;
    bool is_loss = false;
    bool is_reshaped = false;
    std::string name;
    std::string shape;
    std::string when;
    std::string streams_setting;
    std::string help;
    std::string meaning = {};
    std::optional<Purpose> purpose = {};

    bool operator==(const Port&) const = default;
};

struct Global {
    GlobalAccess access = GlobalAccess::kRead;
    std::string name;
    std::string value;
    std::string when;
    std::string help;
    std::optional<Purpose> purpose = {};

    [[nodiscard]] bool is_written() const {
        return access == GlobalAccess::kWrite || access == GlobalAccess::kWriteIfNamed;
    }
    // Returns whether the declaration becomes a global only if the experiment names one for it.
    [[nodiscard]] bool is_only_if_named() const {
        return access == GlobalAccess::kReadIfNamed || access == GlobalAccess::kWriteIfNamed;
    }

    bool operator==(const Global&) const = default;
};

struct Statistic {
    Aggregation aggregation = Aggregation::kMean;
    bool is_hidden = false;
    bool is_integer = false;
    bool has_spread = false;
    bool is_set_only = false;
    bool is_larger_better = false;  // at most one of the two: with neither it is not known
    bool is_smaller_better = false;
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
    Kind kind = Kind::kModel;
    std::string name;
    std::string summary;
    std::string description;
    std::vector<Setting> settings;
    std::vector<Port> ports;
    std::vector<Global> globals;
    std::vector<Statistic> statistics;
    std::vector<Requirement> requirements = {};
    std::string sample_count = {};

    // The ids that its code offered when the manifest was written. nullopt: unknown, as in a
    // descriptor and in manifests of older builds.
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
