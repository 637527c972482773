// Validates PROV documents against PROV-CONSTRAINTS with ProvToolbox (prov-validation + prov-interop on the class path).
// java -cp "classes:lib/*" ProvValidate FILE...   prints one JSON line per file; exit status 1 when any file is invalid.
import java.util.*;
import org.openprovenance.prov.interop.InteropFramework;
import org.openprovenance.prov.model.*;
import org.openprovenance.prov.validation.*;
import org.openprovenance.prov.validation.report.*;

public class ProvValidate {
    static class Var extends org.openprovenance.prov.vanilla.QualifiedName implements VarQName {
        Var(String ns, String local, String prefix) { super(ns, local, prefix); }
    }
    static class Unk extends org.openprovenance.prov.vanilla.QualifiedName implements Unknown {
        Unk(String ns, String prefix) { super(ns, "unknown", prefix); }
    }
    static class Maker implements ObjectMaker {
        public VarQName makeVarQName(String ns, String local, String prefix) { return new Var(ns, local, prefix); }
        public VarQName makeVarQName(QualifiedName q) { return new Var(q.getNamespaceURI(), q.getLocalPart(), q.getPrefix()); }
        public Unknown makeUnknown(String ns, String prefix) { return new Unk(ns, prefix); }
    }

    static String q(Object o) {
        String s = String.valueOf(o).replace("\\", "\\\\").replace("\"", "\\\"");
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) b.append(c < 32 ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        return b.append('"').toString();
    }

    static void problems(ValidationReport r, String where, List<String> out) {
        for (Dependencies d : r.getCycle()) out.add(where + "cycle: " + d.getStatement());
        for (MergeReport m : r.getFailedMerge()) out.add(where + "failed merge: " + m.getStatement());
        for (MergeReport m : r.getQualifiedNameMismatch()) out.add(where + "name mismatch: " + m.getStatement());
        for (TypeOverlap t : r.getTypeOverlap()) out.add(where + "type overlap: " + t.getKey() + " " + t.getType());
        if (r.getSpecializationReport() != null)
            out.add(where + "specialization: " + r.getSpecializationReport().getSpecializationOf());
        if (r.getMalformedStatements() != null) out.add(where + "malformed: " + r.getMalformedStatements().getStatement());
        for (ValidationReport b : r.getValidationReport())
            problems(b, "bundle " + (b.getId() == null ? "" : b.getId().getUri()) + " ", out);
    }

    public static void main(String[] files) throws Exception {
        boolean bad = false;
        for (String f : files) {
            ProvFactory pf = new org.openprovenance.prov.vanilla.ProvFactory();
            List<String> out = new ArrayList<>();
            String error = null;
            try {
                Document d = new InteropFramework(pf).readDocumentFromFile(f);
                if (d == null) throw new java.io.IOException("not readable in the format its name says");
                problems(new Validate(Config.newYesToAllConfig(pf, new Maker())).validate(d), "", out);
            } catch (Throwable t) { error = t.toString(); }
            bad |= error != null || !out.isEmpty();
            StringJoiner j = new StringJoiner(",", "[", "]");
            for (String s : out) j.add(q(s));
            System.out.println("{\"file\":" + q(f) + ",\"valid\":" + (error == null && out.isEmpty()) + ",\"problems\":" + j
                + (error == null ? "" : ",\"error\":" + q(error)) + "}");
        }
        System.exit(bad ? 1 : 0);
    }
}
