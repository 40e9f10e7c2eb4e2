// SPDX-License-Identifier: GPL-2.0-only
// Groups of ranks: as a file, and as a recording of PyTorch lists them.
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"
#include "workload/trace/process-groups.h"

namespace nadi::fuzz
{

namespace
{

constexpr uint32_t JOB_RANKS = 8;

class GroupsFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A groups file, or the inputs of process_group:init.";

    void Read(const std::string& input) override
    {
        const std::string file = m_files.Write("groups.json", input);
        Succeeds([&file] { ReadGroupsFile(file, JOB_RANKS); });
        ParseProcessGroups(input);
    }

  private:
    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, GroupsFuzz, "groups");

} // namespace

} // namespace nadi::fuzz
