// journal.jsonl in the folder of a run: what was done to the training from outside, and when, so
// that a resume and a replay can do it again.
//
//     {"format": 2, "number": 1, "episode": 120, "command": "learning_rate", "arguments": {...},
//      "time": "..."}
//
// Lines are numbered from 1, so that one that is missing is noticed.
// An entry takes effect when `episode` episodes are done, before the next one. Entries are in the
// order in which they take effect: by episode, and entries of one episode as they were added. What
// a resumed run adds before entries that are still to come keeps that order; so the first N
// entries, which a checkpoint has seen, stay the first N.

#pragma once

#include "base/value.hpp"
#include "run/format.hpp"
#include "run/line_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::run {

struct Entry {
    std::uint64_t episode = 0;
    std::string command;  // checkpoint, validate, learning_rate, swap or set
    Value arguments;      // of swap: swap_arguments(); of set: set_arguments(); of others: those
                          // of the request
    std::string time;     // RFC 3339
    std::int64_t format = kJournalFormat;  // of its line
};

// One plugin of a swap.
struct SwappedPlugin {
    std::string plugin;
    std::string sha256;
    std::string file;  // the name of the copy in RUN/plugins

    friend bool operator==(const SwappedPlugin&, const SwappedPlugin&) = default;
};

// {"plugins": [{"plugin": ..., "sha256": ..., "file": ...}]}
Value swap_arguments(const std::vector<SwappedPlugin>& plugins);
// Throws std::exception for an entry that was neither read nor made with swap_arguments().
std::vector<SwappedPlugin> swapped_plugins(const Entry& entry);

// The experiment was changed by `ptprun resume --set`: {"values": ["KEY=VALUE", ...]}
Value set_arguments(const std::vector<std::string>& values);
// Throws std::exception for an entry that was neither read nor made with set_arguments().
std::vector<std::string> set_values(const Entry& entry);

// Checks whether an entry can take effect: throws std::exception with what is wrong. The journal
// itself knows a `swap` and a `set`; of the others control::check_entry() knows all.
using EntryCheck = void (*)(const Entry&);

// Returns all entries; none where there is no such file. A last line without an end was being
// written when the process was killed, before it took effect: it does not count. Any other damage,
// and an entry that `check` refuses, throws RunError with kDataError, "RUN/journal.jsonl:3: ..."; a
// line of a newer format throws NewerFormat.
std::vector<Entry> read_journal(const std::filesystem::path& file, EntryCheck check);

// A learning rate that was set from outside while the run trained.
struct RateChange {
    std::uint64_t episode = 0;
    double rate = 0;
    std::string group = {};  // the component; "": all
};

// Returns the changes in the order in which they took effect; none of a journal that cannot be
// read, which a resume reports.
std::vector<RateChange> rate_changes(const std::filesystem::path& run);

// Returns "the learning rate of 'net' was set to 0.01 after 120 episodes, by ptprun control".
std::string text_of(const RateChange& change);

// [main]
class Journal {
public:
    // Reads what there is, and takes away a line that was cut off. The file is made with the first
    // entry. Throws RunError, as read_journal().
    Journal(const std::filesystem::path& file, EntryCheck check);

    // Appends an entry, which then is in the file, where it outlives the process, and may take
    // effect. Throws RunError with kTrainingError; then it is not in the journal.
    void add(Entry entry);

    // Drops the entries after this many episodes, also in the file. Throws RunError with
    // kTrainingError.
    void drop_after(std::uint64_t episode);

    // Returns when all entries are on the disk, where they outlive the machine's power. Call it
    // before a checkpoint that has seen them is written. Throws RunError with kTrainingError.
    void sync() { lines_.sync(); }

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

private:
    std::filesystem::path file_;
    EntryCheck check_;
    std::vector<Entry> entries_;
    LineFile lines_;
};

}  // namespace ptp::run
