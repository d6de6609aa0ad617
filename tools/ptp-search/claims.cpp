// Claims of the runs in a shared folder: files that only one process can create.

#include "ptp-search/search.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/temporary_path.hpp"
#include "distributed/place.hpp"
#include "ptprun/commands.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

namespace ptp::search {

using namespace ptprun;

namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kFormat = 1;

std::optional<run::ProcessNote> holder_of(const fs::path& claim) {
    const std::optional<Json> read = parsed_json(read_text(claim));
    if (!read || !read->is_object()) {
        return std::nullopt;
    }
    run::ProcessNote holder;
    holder.pid = read->value("pid", std::int64_t{0});
    holder.host = read->value("host", "");
    holder.boot = read->value("boot", "");
    if (const auto began = read->find("process_began");
        began != read->end() && began->is_number_unsigned()) {
        holder.began = began->get<std::uint64_t>();
    }
    return holder;
}

}  // namespace

bool create_whole(const fs::path& file, const std::string& content) {
    const fs::path unfinished =
        fmt::format("{}.{}.{}.new", file.string(), distributed::host_name(), getpid());
    const TemporaryPath removed_at_the_end(unfinished);
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    OutputFile written = OutputFile::create(unfinished);
    written.write(content);
    written.finish();
    if (link(unfinished.c_str(), file.c_str()) == 0) {
        return true;
    }
    if (errno == EEXIST) {
        return false;
    }
    throw RunError(kTrainingError, fmt::format("cannot write {}: {}", file.string(),
                                               std::generic_category().message(errno)));
}

void join_shared(const fs::path& folder, const SharedFolder& description) {
    const fs::path file = folder / description.file;
    Json content = {{"format", kFormat}};
    content.update(description.content);
    const std::string text = text_of(content, 2) + "\n";
    const auto is_other = [&](const fs::directory_entry& entry) {
        return !entry.path().filename().string().starts_with(description.file);
    };
    if (!fs::exists(file) &&
        std::any_of(fs::directory_iterator(folder), fs::directory_iterator(), is_other)) {
        throw UsageError(
            fmt::format("--run-dir {}: is not empty, and not the folder of a shared {}",
                        folder.string(), description.what));
    }
    if (!create_whole(file, text) && read_text(file) != text) {
        throw UsageError(
            fmt::format("--run-dir {}: is the folder of another {}, of other values, options or "
                        "another experiment: {}",
                        folder.string(), description.what, file.string()));
    }
}

Claims::Claims(fs::path folder, run::ProcessNote self, run::Machine machine)
    : folder_(std::move(folder)), self_(std::move(self)), machine_(std::move(machine)) {}

fs::path Claims::file(const std::string& name, int number) const {
    return folder_ / (number == 1 ? name + ".claim" : fmt::format("{}.claim.{}", name, number));
}

bool Claims::is_this(const run::ProcessNote& holder) const {
    return holder.pid == self_.pid && holder.host == self_.host && holder.boot == self_.boot &&
           holder.began == self_.began;
}

Claims::Last Claims::last(const std::string& name) const {
    for (int number = 1;; ++number) {
        if (!fs::exists(file(name, number))) {
            return {Holder::kNone, number};
        }
        const auto holder = holder_of(file(name, number));
        if (holder && is_this(*holder)) {
            return {Holder::kThis, number};
        }
        if (!holder || run::may_be_alive(*holder, machine_)) {
            return {Holder::kOther, number};
        }
    }
}

// A claim is never removed: a process that finds the last one abandoned makes the next one, which
// again only one process can do.
bool Claims::claim(const std::string& name) {
    const Last found = last(name);
    if (found.holder != Holder::kNone) {
        return found.holder == Holder::kThis;
    }
    const Json note = {{"format", kFormat},
                       {"pid", self_.pid},
                       {"host", self_.host},
                       {"boot", self_.boot},
                       {"process_began", self_.began ? Json(*self_.began) : Json()}};
    return create_whole(file(name, found.number), text_of(note, 2) + "\n");
}

bool Claims::is_with_other(const std::string& name) const {
    return last(name).holder == Holder::kOther;
}

}  // namespace ptp::search
