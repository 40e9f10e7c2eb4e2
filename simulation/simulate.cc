// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/simulate.h"

#include "simulation/run-progress.h"
#include "simulation/simulation.h"

namespace nadi
{

RunResults
Simulate(const std::filesystem::path& file,
         const std::vector<std::string>& settings,
         const TestModes& modes)
{
    return Simulate(RunInput(file, settings, modes));
}

RunResults
Simulate(const RunInput& input)
{
    RunProgress progress;
    Simulation simulation(input, progress);
    return simulation.Run();
}

} // namespace nadi
