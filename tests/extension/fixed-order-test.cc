// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The baseline under another name.
class AnotherFixedOrder : public InterDimensionPolicy
{
  public:
    static constexpr const char* Help = "of a test: every chunk in the same order";

    bool HasFixedOrder() const override
    {
        return true;
    }

    std::vector<DimensionOrder>
    OrderChunks(const ScheduleRequest& request,
                const std::vector<uint64_t>& chunkElements) const override
    {
        const auto dimensions = static_cast<uint32_t>(request.dimensions.size());
        return std::vector(chunkElements.size(), BaselineOrder(request.type, dimensions));
    }
};

NADI_REGISTER(InterDimensionPolicy, AnotherFixedOrder, "test-fixed-order");

/// A tree, which only all-reduces, on the last of two dimensions.
std::string
ErrorWith(const std::string& policy)
{
    const ScratchDirectory scratch("fixed-order");
    const auto file = scratch.Write(
        "c.yaml",
        "workload: {collective: {type: all-reduce, size: 1 MB}}\n"
        "system: {collectives: {all-reduce: [ring, double-binary-tree]}, inter-dimension: " +
            policy +
            "}\n"
            "network:\n"
            "  dimensions:\n"
            "    - {shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}\n"
            "    - {shape: switch, size: 4, bandwidth: 37.5 GB/s, latency: 500 ns}\n");
    return ConfigErrorText([&] { ReadConfig(file, {}); });
}

} // namespace

TEST_CASE("ReadConfig: any policy of a fixed order lets a tree stand on the last dimension",
          "[extension]")
{
    CHECK(ErrorWith("baseline") == "");
    CHECK(ErrorWith("test-fixed-order") == "");
    CHECK_THAT(ErrorWith("themis"), Catch::Contains("cannot scatter and gather"));
}
