#include "text_task.hpp"

#include <array>
#include <numeric>
#include <thread>

namespace test {

Component text_task(const std::string& type, const std::string& settings,
                    const std::string& section) {
    return build("text_tasks", type, settings, {.section = section});
}

std::string in_folder(const std::filesystem::path& folder, const std::string& more) {
    return "data_folder = \"" + folder.string() + "\"\n" + more;
}

std::string text_refusal(const std::filesystem::path& folder, const std::string& type,
                         const std::string& settings, const std::string& section) {
    return refusal(folder, [&] { text_task(type, settings, section); });
}

Component csv::build(const std::filesystem::path& file, const std::string& more) {
    return text_task(kName, "file = \"" + file.string() + "\"\n" + more);
}

std::string csv::refusal(const std::string& text, const std::string& more,
                         const std::string& name) {
    const ptp::test::TempFolder folder;
    const auto file = folder.write(name, text);
    return test::refusal(folder.path(), [&] { build(file, more); });
}

std::vector<int64_t> all_of(Component& task) {
    std::vector<int64_t> all(static_cast<size_t>(task.size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

void check_threads(Component& task, const std::string& stream) {
    const std::vector<int64_t> all = all_of(task);
    const Slots expected = task.fetch(all);
    std::array<int, 4> different{};
    std::vector<std::thread> threads;
    for (int& count : different) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const Slots found = task.fetch(all);
                count += found.at(stream).strings() != expected.at(stream).strings() ||
                                 found.at(stream).tokens() != expected.at(stream).tokens()
                             ? 1
                             : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(different == std::array<int, 4>{});
}

}  // namespace test
