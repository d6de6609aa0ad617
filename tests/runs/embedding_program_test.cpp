// The program in docs/embedding.md, compiled as C11 and run.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <ptp/host.h>

#include <fstream>
#include <sstream>
#include <string>

namespace embedding_program_test {

using ptp::test::ExperimentFolder;

namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The first block of C in the document, or the first one below a heading.
std::string documented_program(const std::string& heading = "# ") {
    const std::string text = text_of(ptp::test::source_dir() / "docs/embedding.md");
    const auto begin = text.find("```c\n", text.find(heading)) + 5;
    return text.substr(begin, text.find("```\n", begin) - begin);
}

// The lines of the program, besides its empty ones.
long lines_of(const std::string& program) {
    long lines = 0;
    std::istringstream in(program);
    for (std::string line; std::getline(in, line);) {
        lines += line.empty() ? 0 : 1;
    }
    return lines;
}

// Compiles the text as C11 in the folder of the test; the file of the program.
std::string compiled(const ExperimentFolder& folder, const std::string& source) {
    const std::string file = (folder.path() / "program.c").string();
    std::ofstream(file) << source;
    const std::string program = (folder.path() / "program").string();
    const std::string library = (ptp::test::build_dir() / "lib").string();
    const std::string headers = (ptp::test::source_dir() / "runtime/host/include").string();
    require_success(ptp::test::run_program(
        PTP_C_COMPILER, {"-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" + headers,
                         file, "-L" + library, "-lptp", "-Wl,-rpath," + library, "-o", program}));
    return program;
}

// A program that was compiled without a sanitizer cannot open a library that was compiled with it.
bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped with a sanitizer: the program is compiled without it");
    return true;
#else
    return false;
#endif
}

}  // namespace

TEST_CASE("libptp: the documented program of forty lines compiles as C11, trains and predicts") {
    if (is_sanitized()) {
        return;
    }
    const std::string source = documented_program();
    CHECK(lines_of(source) <= 45);
    const ExperimentFolder folder;
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder.path() / name) << text;
        return (folder.path() / name).string();
    };
    const std::string program = compiled(folder, source);

    std::string experiment =
        text_of(ptp::test::source_dir() / "configs/fashion_mnist/first_experiment.toml");
    const std::string data = ", data_folder = \"" + (folder.path() / "data").string() + "\" }";
    for (std::size_t at = 0; (at = experiment.find("batch_size = ", at)) != std::string::npos;) {
        at = experiment.find(" }", at);
        experiment.replace(at, 2, data);
    }
    for (std::size_t at = 0; (at = experiment.find("sampler = ", at)) != std::string::npos;) {
        experiment.erase(at, experiment.find('\n', at) - at);
    }
    const auto result =
        ptp::test::run_program(program, {write("first.toml", experiment), folder.run_folder("run")},
                               {{"OMP_NUM_THREADS", "1"}});
    CHECK(result.errors == "");
    CHECK(result.status == 0);
    CHECK(result.output.starts_with("1 episodes, loss 2."));
    CHECK(result.output.ends_with(" of 10\n"));

    const auto failed = ptp::test::run_program(program, {write("wrong.toml", "[training]\n")});
    CHECK(failed.status == 1);
    CHECK(failed.errors.find("wrong.toml:1:1: training.task: required, but missing") !=
          std::string::npos);
    CHECK(failed.output.empty());
}

TEST_CASE("libptp: the documented lines that continue a run compile, and name what is not a run") {
    if (is_sanitized()) {
        return;
    }
    const ExperimentFolder folder;
    const std::string program =
        compiled(folder, "#include <ptp/host.h>\nint main(void) {\n" +
                             documented_program("## After a crash") +
                             "if (result != PTP_RESULT_DONE)\n"
                             "    fprintf(stderr, \"%s\\n\", ptp_experiment_error(experiment));\n"
                             "ptp_experiment_close(experiment);\nreturn (int)result;\n}\n");
    const auto result = ptp::test::run_program(program, {});
    CHECK(result.status == PTP_RESULT_CONFIGURATION);
    CHECK(result.errors == "runs/night: no such run\n");
}

}  // namespace embedding_program_test
