// Reads the declarations and the script from the space that room.S reserves in this file.

#include "room.hpp"

#include "thunks.hpp"

#include <ptp/entry.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <tuple>

extern "C" const char ptp_python_room[];  // NOLINT: the name is that of room.S

namespace ptp::python {

namespace {

constexpr std::size_t kMarkBytes = 16;

// Returns the content of the space in room.S: a mark, the capacity, the size, and the content.
std::string_view content() {
    std::uint64_t size = 0;
    std::memcpy(&size, ptp_python_room + kMarkBytes + sizeof size, sizeof size);
    return {ptp_python_room + kMarkBytes + 2 * sizeof size, size};
}

// Marks missing content; valid content consists of texts, each with a final NUL.
constexpr std::string_view kNone = "\x01";

class Reader {
public:
    explicit Reader(std::string_view content) : rest_(content) {}

    std::string_view text() {
        const std::size_t end = rest_.find('\0');
        if (end == std::string_view::npos) {
            std::abort();  // The file's seal is valid, so ptp-python has a bug.
        }
        const std::string_view text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return text;
    }
    const char* chars() { return text().data(); }
    const char* optional_chars() {
        const std::string_view found = text();
        return found == kNone ? nullptr : found.data();
    }
    std::uint32_t number() {
        return static_cast<std::uint32_t>(std::strtoul(chars(), nullptr, 10));
    }
    std::int32_t choice() { return static_cast<std::int32_t>(number()); }

private:
    std::string_view rest_;
};

// Owns the parts of the description, whose addresses do not change.
class Parts {
public:
    explicit Parts(Reader& reader) : reader_(reader) {}

    template <class Info>
    const Info* const* list(std::uint32_t& count) {
        count = reader_.number();
        auto& pointers = lists<Info>().emplace_back();
        for (std::uint32_t i = 0; i < count; ++i) {
            pointers.push_back(read<Info>());
        }
        return pointers.data();
    }

private:
    template <class Info>
    const Info* read() {
        Info info{};
        info.struct_size = sizeof(Info);
        fill(info);
        return &items<Info>().emplace_back(info);
    }

    void fill(ptp_setting_info& info) {
        info.type = reader_.choice();
        info.list_depth = reader_.number();
        info.flags = reader_.number();
        info.name = reader_.chars();
        info.default_value = reader_.optional_chars();
        info.range = reader_.optional_chars();
        info.length = reader_.optional_chars();
        info.choices = reader_.optional_chars();
        info.help = reader_.chars();
        info.obtain = reader_.optional_chars();
        info.purpose = reader_.choice();
        info.members = list<ptp_setting_info>(info.member_count);
    }
    void fill(ptp_port_info& info) {
        info.direction = reader_.choice();
        info.element = reader_.choice();
        info.flags = reader_.number();
        info.name = reader_.chars();
        info.shape = reader_.chars();
        info.when = reader_.optional_chars();
        info.streams_setting = reader_.optional_chars();
        info.help = reader_.chars();
        info.meaning = reader_.optional_chars();
        info.purpose = reader_.choice();
    }
    void fill(ptp_global_info& info) {
        info.access = reader_.choice();
        info.name = reader_.chars();
        info.value = reader_.optional_chars();
        info.when = reader_.optional_chars();
        info.help = reader_.chars();
        info.purpose = reader_.choice();
    }
    void fill(ptp_statistic_info& info) {
        info.aggregation = reader_.choice();
        info.flags = reader_.number();
        info.decimals = reader_.choice();
        info.name = reader_.chars();
        info.weight = reader_.optional_chars();
        info.when = reader_.optional_chars();
        info.help = reader_.chars();
    }
    void fill(ptp_requirement_info& info) {
        info.relation = reader_.chars();
        info.message = reader_.chars();
        info.when = reader_.optional_chars();
    }

    template <class Info>
    std::deque<Info>& items() {
        return std::get<std::deque<Info>>(items_);
    }
    template <class Info>
    std::deque<std::vector<const Info*>>& lists() {
        return std::get<std::deque<std::vector<const Info*>>>(lists_);
    }

    Reader& reader_;
    std::tuple<std::deque<ptp_setting_info>, std::deque<ptp_port_info>, std::deque<ptp_global_info>,
               std::deque<ptp_statistic_info>, std::deque<ptp_requirement_info>>
        items_;
    std::tuple<std::deque<std::vector<const ptp_setting_info*>>,
               std::deque<std::vector<const ptp_port_info*>>,
               std::deque<std::vector<const ptp_global_info*>>,
               std::deque<std::vector<const ptp_statistic_info*>>,
               std::deque<std::vector<const ptp_requirement_info*>>>
        lists_;
};

// Objects that live as long as the process.
struct Description {
    Reader reader{content()};
    Parts parts{reader};
    std::deque<ptp_component_info> components;
    std::vector<const ptp_component_info*> pointers;
    Script script;

    void read_component(std::uint32_t index) {
        ptp_component_info& info = components.emplace_back();
        info.struct_size = sizeof info;
        info.kind = reader.choice();
        info.name = reader.chars();
        info.summary = reader.chars();
        info.description = reader.optional_chars();
        Extras extras;
        extras.has_state = reader.number() != 0;
        extras.is_per_sample = reader.number() != 0;
        extras.state_version = reader.number();
        info.sample_count = reader.optional_chars();
        info.settings = parts.list<ptp_setting_info>(info.setting_count);
        info.ports = parts.list<ptp_port_info>(info.port_count);
        info.globals = parts.list<ptp_global_info>(info.global_count);
        info.statistics = parts.list<ptp_statistic_info>(info.statistic_count);
        info.requirements = parts.list<ptp_requirement_info>(info.requirement_count);
        script.extras.push_back(extras);
        set_functions(index, info);
        pointers.push_back(&info);
    }

    Description() {
        script.info = {.abi_major = PTP_ABI_MAJOR,
                       .abi_minor = PTP_ABI_MINOR,
                       .struct_size = sizeof(ptp_plugin_info),
                       .component_count = 0,
                       .name = "python",
                       .version = "0",
                       .build = &ptp::detail::kBuild,
                       .components = nullptr,
                       .license = nullptr,
                       .author = nullptr,
                       .homepage = nullptr};
        if (content().empty()) {
            return;
        }
        script.info.name = reader.chars();
        script.info.version = reader.chars();
        script.info.license = reader.optional_chars();
        script.info.author = reader.optional_chars();
        script.info.homepage = reader.optional_chars();
        script.info.component_count = reader.number();
        for (std::uint32_t i = 0; i < script.info.component_count; ++i) {
            read_component(i);
        }
        script.info.components = pointers.data();
        script.file = reader.text();
        script.source = reader.text();
        const std::uint32_t module_count = reader.number();
        for (std::uint32_t i = 0; i < module_count; ++i) {
            OwnModule& module = script.modules.emplace_back();
            module.name = reader.text();
            module.file = reader.text();
            module.is_package = reader.number() != 0;
            module.source = reader.text();
        }
    }
};

}  // namespace

const Script& script() {
    // Never destroyed: the host may access it until the process ends.
    static const Description& description = *new Description();
    return description.script;
}

}  // namespace ptp::python

const ptp_plugin_info* ptp_plugin_entry(void) {
    return &ptp::python::script().info;
}
