// The handlers of signals and of exit() that write the report of a crash. They make only calls that
// are safe in a signal handler.

#include "engine/component/crash.hpp"

#include "base/exit_code.hpp"
#include "base/signals.hpp"
#include "engine/component/call.hpp"
#include "run/paths.hpp"
#include "run/status.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace ptp::engine {

namespace {

// The state of the signal handler, which can reach nothing but globals, and make few calls except
// system calls.
struct LastWords {
    pid_t process = getpid();  // A child of it, which a component has forked, has no last words.
    pthread_key_t call_key = 0;
    std::string log;
    std::string status;
    std::string new_status;
    std::array<struct sigaction, kCrashSignals.size()> old_actions{};
    LastWords* before = nullptr;  // the previous report's, which a thread may still be reading
};

LastWords* last_words = nullptr;  // the current CrashReport's

// Two, so that a crash on another thread never reads one that is being changed.
std::array<std::string, 2> status_rests;
std::atomic<const std::string*> status_rest = nullptr;

// The memory of mapped files. A handler reads the rest of one that has a beginning.
struct MappedMemory {
    std::atomic<const char*> begin = nullptr;
    std::uint64_t size = 0;
    std::array<char, 1024> file{};  // cut off at its end
    bool is_taken = false;
};
std::array<MappedMemory, 8> mapped_memories;
std::mutex mapped_memories_mutex;  // for those that take and leave them

// Returns the file whose memory has the address, or nullptr.
const char* file_at(const void* address) {
    for (const MappedMemory& memory : mapped_memories) {
        const char* const begin = memory.begin;
        const auto* const place = static_cast<const char*>(address);
        if (begin != nullptr && place >= begin && place < begin + memory.size) {
            return memory.file.data();
        }
    }
    return nullptr;
}

// The key under which each thread stores where to find its innermost call.
pthread_key_t call_key() {
    static const pthread_key_t key = [] {
        pthread_key_t made = 0;
        pthread_key_create(&made, nullptr);
        return made;
    }();
    return key;
}

class Text {
public:
    void add(std::string_view text) {
        const std::size_t count = std::min(text.size(), characters_.size() - size_);
        std::memcpy(characters_.data() + size_, text.data(), count);
        size_ += count;
    }

    // Adds the text as it is written between the quotes of a JSON string.
    void add_quoted(std::string_view text) {
        for (const char character : text) {
            if (character == '"' || character == '\\') {
                add("\\");
            }
            const bool is_control = static_cast<unsigned char>(character) < 0x20;
            add(is_control ? " " : std::string_view(&character, 1));
        }
    }

    [[nodiscard]] std::string_view view() const { return {characters_.data(), size_}; }

private:
    std::array<char, 16384> characters_;
    std::size_t size_ = 0;
};

// Ignores errors: at this point they cannot be handled.
void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void write_file(const char* path, int flags, std::string_view text) {
    const int file = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0644);
    if (file >= 0) {
        write_all(file, text);
        ::fsync(file);
        ::close(file);
    }
}

// Returns the innermost call on this thread, or nullptr outside of all components.
const Call* call_here() {
    const void* const place = pthread_getspecific(last_words->call_key);
    return place == nullptr ? nullptr : *static_cast<Call* const*>(place);
}

Text sentence(int signal, const char* cut_file) {
    Text text;
    if (cut_file != nullptr) {
        text.add(cut_file);
        text.add(": cannot be read any more: it was cut off, or its disk fails (SIGBUS)");
        return text;
    }
    const Call* const call = call_here();
    if (call == nullptr) {
        text.add("crashed outside of all components (");
    } else {
        text.add(call->name().subject);
        text.add(": ");
        text.add(call->name().work);
        text.add(" crashed (");
    }
    text.add("SIG");
    text.add(sigabbrev_np(signal));
    text.add(")");
    return text;
}

Text status_of(std::string_view reason, int code) {
    Text text;
    text.add(run::kCrashBeforeReason);
    text.add_quoted(reason);
    text.add(run::kCrashBeforeCode);
    std::array<char, 12> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), code);
    text.add({digits.data(), static_cast<std::size_t>(written.ptr - digits.data())});
    const std::string* const rest = status_rest;
    text.add(rest == nullptr ? std::string_view("\n}\n") : std::string_view(*rest));
    return text;
}

// Writes the report to the standard error, the log and status.json, which has no fix.
void leave_words(std::string_view reason, int code, const char* cut_file = nullptr) {
    const LastWords& words = *last_words;
    Text line;
    line.add("ptprun: error: ");
    line.add(reason);
    if (cut_file != nullptr) {
        line.add(
            "\n    fix: put another file in its place by renaming it, not by writing into this one");
    }
    line.add("\n");
    write_all(STDERR_FILENO, line.view());
    write_file(words.log.c_str(), O_APPEND, line.view());
    write_file(words.new_status.c_str(), O_TRUNC, status_of(reason, code).view());
    ::rename(words.new_status.c_str(), words.status.c_str());
}

// Reports a crash. A second one, in here or on another thread, ends the process.
void report(int signal, siginfo_t* info, void* /*context*/) {
    const LastWords& words = *last_words;
    const char* const cut_file = signal == SIGBUS ? file_at(info->si_addr) : nullptr;
    for (std::size_t i = 0; i < kCrashSignals.size(); ++i) {
        sigaction(kCrashSignals[i], &words.old_actions[i], nullptr);
    }
    if (getpid() == words.process) {
        leave_words(sentence(signal, cut_file).view(), 128 + signal, cut_file);
    }
    ::raise(signal);  // is delivered when this handler has returned
}

// Handles exit() and quick_exit(). A component that calls them would end the training as if it were
// done; a program that embeds the engine may call them.
void report_exit() {
    const bool is_own = last_words != nullptr && last_words->process == getpid();
    const Call* const call = is_own ? call_here() : nullptr;
    if (call == nullptr) {
        return;
    }
    Text text;
    text.add(call->name().subject);
    text.add(": ");
    text.add(call->name().work);
    text.add(" ended the process by calling exit()");
    leave_words(text.view(), kPluginError);
    ::_exit(kPluginError);
}

}  // namespace

CrashReport::CrashReport(const std::filesystem::path& run_folder) {
    auto* const words = new LastWords;  // never freed: a thread may crash while this one ends
    words->call_key = call_key();
    words->log = (run_folder / run::kLogFile).string();
    words->status = (run_folder / run::kStatusFile).string();
    words->new_status = words->status + ".crash";
    for (std::size_t i = 0; i < kCrashSignals.size(); ++i) {
        sigaction(kCrashSignals[i], nullptr, &words->old_actions[i]);
    }
    words->before = last_words;
    if (last_words == nullptr) {
        std::atexit(report_exit);
        std::at_quick_exit(report_exit);
    }
    last_words = words;

    prepare_thread_for_crash();
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (const int signal : kCrashSignals) {
        sigaction(signal, &action, nullptr);
    }
}

CrashReport::~CrashReport() {
    for (std::size_t i = 0; i < kCrashSignals.size(); ++i) {
        sigaction(kCrashSignals[i], &last_words->old_actions[i], nullptr);
    }
}

CrashOnFile::CrashOnFile(Memory memory, std::string_view file) : slot_(mapped_memories.size()) {
    const std::lock_guard<std::mutex> lock(mapped_memories_mutex);
    const auto* const found = std::ranges::find(mapped_memories, false, &MappedMemory::is_taken);
    if (found == mapped_memories.end()) {
        return;
    }
    slot_ = static_cast<std::size_t>(found - mapped_memories.begin());
    MappedMemory& slot = mapped_memories[slot_];
    slot.is_taken = true;
    slot.size = memory.size;
    const std::size_t length = std::min(file.size(), slot.file.size() - 1);
    std::memcpy(slot.file.data(), file.data(), length);
    slot.file[length] = '\0';
    slot.begin = static_cast<const char*>(memory.begin);
}

CrashOnFile::~CrashOnFile() {
    if (slot_ < mapped_memories.size()) {
        const std::lock_guard<std::mutex> lock(mapped_memories_mutex);
        mapped_memories[slot_].begin = nullptr;
        mapped_memories[slot_].is_taken = false;
    }
}

void remember_for_crash(std::string rest_of_status) {
    std::string& other = status_rest == &status_rests[0] ? status_rests[1] : status_rests[0];
    other = std::move(rest_of_status);
    status_rest = &other;
}

void prepare_thread_for_crash() {
    constexpr std::size_t kSize = std::size_t{64} * 1024;
    thread_local std::array<char, kSize> stack;
    stack_t description{};
    sigaltstack(nullptr, &description);
    if ((static_cast<unsigned>(description.ss_flags) & SS_DISABLE) != 0) {  // a sanitizer has one
        description = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
        sigaltstack(&description, nullptr);
    }

    pthread_setspecific(call_key(), static_cast<const void*>(Call::place_of_current()));

    sigset_t crashes;
    sigemptyset(&crashes);
    for (const int signal : kCrashSignals) {
        sigaddset(&crashes, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &crashes, nullptr);
}

}  // namespace ptp::engine
