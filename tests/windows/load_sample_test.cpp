// Loads a plugin in plain C on Windows, from a folder with plugins, and lets its component compute.

#include "base/temporary_path.hpp"
#include "plugin/catalog.hpp"
#include "plugin/loader.hpp"

#include <ptp/abi.h>

#include <doctest/doctest.h>

#include <vector>

namespace load_sample_test {

namespace {

using ptp::plugin::CatalogEntry;
using ptp::plugin::Generation;
using ptp::plugin::Loader;

// A tensor of floats, as it stands behind a ptp_value here.
struct Floats {
    std::vector<float> numbers;
    std::vector<std::int64_t> shape;

    ptp_tensor_view view() {
        return {.data = numbers.data(),
                .device_type = 1,
                .device_id = 0,
                .rank = static_cast<std::int32_t>(shape.size()),
                .type_code = 2,
                .type_bits = 32,
                .type_lanes = 1,
                .shape = shape.data(),
                .strides = nullptr,
                .byte_offset = 0};
    }
    ptp_value* value() { return reinterpret_cast<ptp_value*>(this); }
};

ptp_host small_host() {
    ptp_host host{};
    host.struct_size = sizeof host;
    host.fail = [](void*, ptp_status, const char* message) { FAIL(message); };
    host.tensor_view = [](void*, const ptp_value* tensor, ptp_tensor_view* out) {
        *out = reinterpret_cast<Floats*>(const_cast<ptp_value*>(tensor))->view();
        return ptp_status{PTP_OK};
    };
    host.tensor_allocate = [](void*, ptp_value* output, std::uint8_t, std::uint8_t,
                              std::int32_t rank, const std::int64_t* shape, ptp_tensor_view* out) {
        auto& floats = *reinterpret_cast<Floats*>(output);
        floats.shape.assign(shape, shape + rank);
        std::int64_t count = 1;
        for (const std::int64_t size : floats.shape) {
            count *= size;
        }
        floats.numbers.resize(static_cast<std::size_t>(count));
        *out = floats.view();
        return ptp_status{PTP_OK};
    };
    return host;
}

std::vector<CatalogEntry> found() {
    return ptp::plugin::scan({PTP_SAMPLE_FOLDER}).plugins;
}

}  // namespace

TEST_CASE("load: a DLL in a folder is found by its manifest") {
    REQUIRE(found().size() == 1);
    CHECK(found()[0].path.filename() == "scale.dll");
    CHECK(found()[0].manifest.name == "scale");
    CHECK(found()[0].manifest.components.at(0).name == "Scale");
}

TEST_CASE("load: the component of a plugin in C computes") {
    const auto folder = ptp::TemporaryPath::new_folder();
    Loader loader(folder.path());
    const Generation generation = loader.load(found().at(0));
    CHECK(generation.file().parent_path() == folder.path());
    const ptp_component_info* const scale = generation.component("Scale");
    REQUIRE(scale != nullptr);

    const ptp_host host = small_host();
    const ptp_data factor{.type = PTP_DATA_REAL,
                          .reserved = 0,
                          .key = nullptr,
                          .integer = 0,
                          .real = 3.0,
                          .text = nullptr,
                          .items = nullptr,
                          .item_count = 0};
    const ptp_data* const settings[] = {&factor};
    ptp_setup setup{};
    setup.struct_size = sizeof setup;
    setup.name = "scale";
    setup.section = "";
    setup.device = "cpu";
    setup.settings = settings;
    setup.setting_count = 1;
    void* instance = nullptr;
    REQUIRE(scale->create(&host, &setup, &instance) == PTP_OK);

    Floats inputs{.numbers = {1, 2, -0.5F, 4}, .shape = {2, 2}};
    Floats outputs;
    ptp_step step{};
    step.struct_size = sizeof step;
    const ptp_value* const in[] = {inputs.value()};
    ptp_value* const out[] = {outputs.value()};
    CHECK(scale->forward(instance, &step, in, out) == PTP_OK);
    CHECK(outputs.shape == std::vector<std::int64_t>{2, 2});
    CHECK(outputs.numbers == std::vector<float>{3, 6, -1.5F, 12});
    scale->destroy(instance);
}

}  // namespace load_sample_test
