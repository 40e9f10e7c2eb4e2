// SPDX-License-Identifier: GPL-2.0-only
// Collective algorithms of MSCCL, and the traces that they become.
#include "system/library/msccl-file/msccl-file.h"
#include "system/library/msccl-file/msccl-limits.h"
#include "tests/fuzz/fuzz-target.h"
#include "workload/engine/job-check.h"
#include "workload/tools/conversion/msccl-conversion.h"

namespace nadi::fuzz
{

namespace
{

class MscclFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "An XML file of MSCCL.";

    void Read(const std::string& input) override
    {
        const MscclAlgorithm algorithm = ParseMscclAlgorithm(input, "fuzz");
        FindPassedLimits(algorithm);
        CheckJob(MakeMscclWorkload(algorithm, LARGEST_MSCCL_BUFFER));
    }
};

NADI_REGISTER(FuzzTarget, MscclFuzz, "msccl");

} // namespace

} // namespace nadi::fuzz
