// SPDX-License-Identifier: GPL-2.0-only
// What libFuzzer calls. An executable has one target (tests/fuzz/CMakeLists.txt).
#include "common/check.h"
#include "tests/fuzz/fuzz-target.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace nadi::fuzz
{

namespace
{

std::unique_ptr<FuzzTarget>
MakeOnlyTarget()
{
    const auto names = Registry<FuzzTarget>::Instance().Names();
    NADI_CHECK(names.size() == 1);
    return Registry<FuzzTarget>::Instance().Make(ComponentChoice(names.front()));
}

} // namespace

} // namespace nadi::fuzz

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const auto target = nadi::fuzz::MakeOnlyTarget();
    const std::string input(reinterpret_cast<const char*>(data), size);
    nadi::fuzz::Succeeds([&input] { target->Read(input); });
    return 0;
}
