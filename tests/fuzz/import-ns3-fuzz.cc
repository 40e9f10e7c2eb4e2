// SPDX-License-Identifier: GPL-2.0-only
// The inputs of ASTRA-sim's ns-3 backend.
#include "configuration/config-file.h"
#include "configuration/topology-file.h"
#include "importers/astra-sim-import.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"

namespace nadi::fuzz
{

namespace
{

class ImportNs3Fuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help =
        "Files config.txt, the topology t.txt that it names, and l.json, the logical topology.";

    ImportNs3Fuzz()
    {
        m_files.Write("w.0.et", "");
        m_files.Write("s.json", "{}");
    }

    void Read(const std::string& input) override
    {
        if (NamesDevice(input))
        {
            return;
        }
        const std::vector<std::string> names{"config.txt", "t.txt", "l.json"};
        const auto files = SplitInput(input, names);
        for (const std::string& name : names)
        {
            const auto found = files.find(name);
            m_files.Write(name, found == files.end() ? "" : found->second);
        }
        const ImportedConfig imported = ImportAstraSim({.workload = m_files.Path("w"),
                                                        .system = m_files.Path("s.json"),
                                                        .network = m_files.Path("config.txt"),
                                                        .logicalTopology = m_files.Path("l.json"),
                                                        .groups = {},
                                                        .remoteMemory = {}},
                                                       m_files.Path("c.yaml"));
        if (imported.topology)
        {
            const auto file =
                m_files.Write(imported.topology->path.filename(), imported.topology->text);
            Require(Succeeds([&file] { ReadTopologyFile(file, "fuzz"); }),
                    "a topology that was imported can be read");
        }
        ReadConfig(m_files.Write("c.yaml", imported.yaml), {});
    }

  private:
    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, ImportNs3Fuzz, "import-ns3");

} // namespace

} // namespace nadi::fuzz
