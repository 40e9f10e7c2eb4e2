// SPDX-License-Identifier: GPL-2.0-only
// The inputs of ASTRA-sim with its analytical network.
#include "configuration/config-file.h"
#include "importers/astra-sim-import.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"

#include <optional>

namespace nadi::fuzz
{

namespace
{

class ImportAstraSimFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help =
        "Files system.json, network.yml and, if they are there, logical.json, groups.json, "
        "memory.json.";

    ImportAstraSimFuzz()
    {
        m_files.Write("w.0.et", "");
    }

    void Read(const std::string& input) override
    {
        if (NamesDevice(input))
        {
            return;
        }
        const auto files = SplitInput(
            input, {"system.json", "network.yml", "logical.json", "groups.json", "memory.json"});
        const auto write = [&](const std::string& name) -> std::optional<std::filesystem::path>
        {
            const auto found = files.find(name);
            return found == files.end() ? std::nullopt
                                        : std::optional(m_files.Write(name, found->second));
        };
        const AstraSimInputs inputs{
            .workload = m_files.Path("w"),
            .system = write("system.json").value_or(m_files.Path("none.json")),
            .network = write("network.yml").value_or(m_files.Path("none.yml")),
            .logicalTopology = write("logical.json"),
            .groups = write("groups.json"),
            .remoteMemory = write("memory.json")};
        const ImportedConfig imported = ImportAstraSim(inputs, m_files.Path("c.yaml"));
        ReadConfig(m_files.Write("c.yaml", imported.yaml), {});
    }

  private:
    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, ImportAstraSimFuzz, "import-astra-sim");

} // namespace

} // namespace nadi::fuzz
