//===- titan-lsp-server.cpp - titan IR in an editor -----------------------===//
#include "titan/Driver/Session.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  titan::registerAllTitanDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
