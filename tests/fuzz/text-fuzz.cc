// SPDX-License-Identifier: GPL-2.0-only
// Text workloads of ASTRA-sim 1.0, and the jobs that they make.
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"
#include "workload/engine/job-check.h"
#include "workload/models/text-file.h"
#include "workload/workload-model.h"

namespace nadi::fuzz
{

namespace
{

class TextFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A text workload.";

    void Read(const std::string& input) override
    {
        if (!Succeeds([&input] { ParseTextFile(input, "fuzz"); }))
        {
            return;
        }
        ComponentChoice choice("text");
        choice.parameters["file"] = m_files.Write("fuzz.txt", input);
        const auto model = Registry<WorkloadModel>::Instance().Make(choice);
        CheckJob(model->Make({.ranks = 8, .dimensions = {2, 4}}));
    }

  private:
    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, TextFuzz, "text");

} // namespace

} // namespace nadi::fuzz
