"""Words for what people are asked and measured, in five languages, each list with what it says of a column.

English, Spanish, Catalan, French and German stand side by side: a table often mixes them. Letters have no accents here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Codes = Literal["diagnoses", "procedures"]


@dataclass(frozen=True)
class Topic:
    """What a column is about: its role, and the kind of its values where the name tells."""

    what: str
    role: Literal["identifier", "quasi", "sensitive"]
    kind: Literal["numeric", "flat", "ordinal", "text"] | None = None
    codes: Codes | None = None
    #: One that only says that something is named or numbered; what it is tells more.
    weak: bool = False
    #: A short list of values of its own, of which a dictionary knows nothing worth knowing.
    listed: bool = False
    #: A fact of somebody's treatment: others seldom know it, so the role is proposed with a question.
    clinical: bool = False


#: Topics in the order they are tried, each with its words; a+b are words that stand together, =a is the whole name.
WORDS: list[tuple[Topic, str]] = [
    (
        Topic("sexual life", "sensitive"),
        "sexual orientation+sexual orientacion+sexual vida+sexual sexualitat sexualite",
    ),
    (
        Topic("a date or year of birth", "quasi"),
        (
            "birth dob birthday birthdate birthyear yob born nacimiento nacido fnac naixement nascut naissance geburt "
            "geburts geburtstag geburtsdatum geburtsjahr"
        ),
    ),
    (
        Topic("the name of a person", "identifier"),
        (
            "surname firstname lastname fullname forename middlename maidenname nickname initials first+name last+name "
            "full+name given+name family+name middle+name maiden+name user+name patient+name person+name doctor+name "
            "physician+name mother+name father+name spouse+name contact+name client+name customer+name employee+name "
            "apellido apellidos nombre+completo nombre+apellidos nombre+paciente cognom cognoms nom+cognoms nom+pacient "
            "prenom nom+famille nom+patient vorname nachname familienname zuname patientenname username"
        ),
    ),
    (
        Topic("an address for letters, calls or messages", "identifier"),
        (
            "email emails mail correo courriel correu mailadresse e+mail address addr street direccion domicilio calle "
            "adreca domicili carrer adresse rue domicile anschrift strasse hausnummer wohnadresse phone telephone tel "
            "mobile cellphone fax telefono movil telefon mobil mobiltelefon handy portable+telephone telefonnummer "
            "handynummer faxnummer url website ip+address ip+adresse instagram twitter facebook linkedin"
        ),
    ),
    (
        Topic("a number that stands for one person", "identifier"),
        (
            "ssn nin ipp nda nif dni nie nhs mrn nhc cip nuhsa nir insee curp rut iban bic passport pasaporte passaport "
            "passeport reisepass personalausweis ausweis social+security seguridad+social seguretat+social "
            "securite+sociale sozialversicherungsnummer krankenversicherungsnummer versichertennummer national+number "
            "account+number account+no account+nr bank+account kontonummer cuenta+bancaria compte+bancari compte+bancaire "
            "patient+number patient+no patient+nr patient+num patient+code patient+key numero+paciente numero+pacient "
            "numero+patient patientennummer patientennr fallnummer aktenzeichen case+number case+no record+number "
            "record+no chart+number medical+record historia+clinica historia+numero expediente dossier+numero "
            "numero+historia insurance+number policy+number member+number employee+number license+number licence+number "
            "license+plate matricula kennzeichen credit+card card+number tarjeta targeta device+serial serial+number "
            "=patient =person =subject =paciente =pacient =respondent =participant =kunde =client =customer"
        ),
    ),
    (
        Topic("free text", "identifier", "text"),
        (
            "comment comments remark remarks note notes freetext free+text narrative anamnesis observaciones comentario "
            "comentarios observacions comentaris comentari commentaire commentaires remarque remarques bemerkung "
            "bemerkungen kommentar anmerkung anmerkungen notizen freitext"
        ),
    ),
    (
        Topic("a weight of the sample", "quasi", "numeric"),
        (
            "sampling+weight survey+weight household+weight person+weight sample+weight design+weight weight+final "
            "weight+sample fnlwgt afnlwgt wgt pweight hweight peso+muestral factor+elevacion ponderacion pes+mostral "
            "ponderacio ponderation poids+sondage gewichtung gewichtungsfaktor stichprobengewicht"
        ),
    ),
    (Topic("an age", "quasi", "numeric"), "age ages edad edat alter lebensalter idade"),
    (Topic("sex or gender", "quasi", "flat", listed=True), "sex gender sexo genero sexe genere genre geschlecht"),
    (
        Topic("a marital status", "quasi", "flat", listed=True),
        (
            "marital married marstat civil+status estado+civil estat+civil etat+civil matrimonial familienstand "
            "zivilstand"
        ),
    ),
    (
        Topic("a postal code", "quasi", "flat", listed=True),
        "zip zipcode postcode postal plz postleitzahl =cp codigopostal codipostal code+postal",
    ),
    (Topic("a point on the map", "quasi", "numeric"), "latitude longitude lat lon lng latitud longitud breitengrad"),
    (
        Topic("a place", "quasi", "flat"),
        (
            "city town municipality county province region district country state neighbourhood neighborhood borough "
            "village birthplace residence nationality citizenship nation immigrant migrant lsoa tract geography urban "
            "rural ciudad municipio provincia comunidad distrito pais barrio nacionalidad residencia ciutat municipi "
            "comarca districte barri nacionalitat poblacio poblacion ville commune departement quartier pays nationalite "
            "stadt ort wohnort gemeinde landkreis kreis bundesland land staat staatsangehorigkeit nationalitat geburtsort "
            "geburtsland herkunftsland comunidad+autonoma ccaa lugar+nacimiento pais+nacimiento lloc+naixement "
            "pais+naixement lieu+naissance pays+naissance place+birth country+birth birth+place"
        ),
    ),
    (
        Topic("race or ethnicity", "quasi", "flat", listed=True),
        "race ethnicity ethnic raza etnia etnic ethnie rasse ethnische hispanic",
    ),
    (Topic("a language", "quasi", "flat"), "language lengua idioma llengua langue sprache muttersprache"),
    (
        Topic("education", "quasi", "flat", listed=True),
        (
            "education educational schooling degree educ edu educacion estudios educacio estudis etudes diplome bildung "
            "schulbildung schulabschluss bildungsabschluss abschluss nivel+educativo"
        ),
    ),
    (
        Topic("religion or belief", "sensitive"),
        "religion religious religio religios religioso belief faith creencia croyance konfession glaube",
    ),
    (
        Topic("political views or union membership", "sensitive"),
        (
            "political politics vote voted union political+party partido politico sindicato sindicado voto ideologia "
            "partit politic sindicat vot parti+politique syndicat politique partei gewerkschaft politisch"
        ),
    ),
    (
        Topic("crime or addiction", "sensitive"),
        (
            "crime criminal conviction arrest offence offense alcohol addiction abuse delito condena adiccion delicte "
            "addiccio delit toxicomanie straftat vorstrafe sucht"
        ),
    ),
    (
        Topic("money", "sensitive"),
        (
            "income money salary wage wages pay paid earnings charge charges cost costs price amount debt tax taxes loan "
            "credit balance capital rent payment bonus pension benefit expenditure expense spending revenue wealth assets "
            "savings profit sales funds expend ingresos salario sueldo coste costes precio renta deuda importe gasto "
            "gastos impuesto salari sou preu renda deute despesa revenu revenus salaire cout couts prix montant dette "
            "loyer impot depense einkommen gehalt lohn kosten preis betrag schulden steuer steuern miete ausgaben "
            "vermogen ingressos zuzahlung fallpauschale"
        ),
    ),
    (
        Topic("how severe something is, or its outcome", "sensitive"),
        (
            "readmitted readmission readmit reingreso reingres rehospitalisation wiederaufnahme survival relapse severity "
            "stage grade prognosis outcome pain gravedad estadio pronostico dolor gravetat estadi pronostic gravite stade "
            "douleur schweregrad stadium schmerz prognose"
        ),
    ),
    (
        Topic("a result of a test or a measurement", "sensitive", clinical=True),
        (
            "result results score test lab laboratory labs hiv glucose glu cholesterol hba hba1c a1c a1cresult creatinine "
            "hemoglobin serum plasma sodium potassium albumin bilirubin hematocrit platelets platelet wbc rbc urea bun "
            "lactate troponin crp ldl hdl triglycerides ferritin tsh spo2 systolic diastolic blood+pressure heart+rate "
            "pulse temperature respiratory+rate saturation tension arterial glucosa colesterol creatinina hemoglobina "
            "glycemie blutzucker blutdruck puls laborwerte leukozyten haemoglobin hamoglobin kreatinin blood+type "
            "blood+group grupo+sanguineo groupe+sanguin blutgruppe apgar gcs apache charlson genotype genetic mutation "
            "biopsy resultado resultados prueba analisis resultat resultats prova analisi analyse ergebnis befund "
            "laborwert labor testergebnis"
        ),
    ),
    (
        Topic("a diagnosis", "quasi", codes="diagnoses"),
        (
            "diagnosis diagnoses diagnostic diagnostics dx diag icd disease disorder illness morbidity comorbidity "
            "cause+death diagnostico enfermedad cie causa+muerte malaltia diagnostique maladie cim diagnose diagnosen "
            "krankheit hauptdiagnose nebendiagnose vorerkrankung vorerkrankungen drg grd gdr ghm todesursache"
        ),
    ),
    (
        Topic("a procedure", "quasi", codes="procedures"),
        (
            "procedure procedures proc px operation surgery intervention procedimiento procediment cirugia cirurgia "
            "intervencion intervencio chirurgie acte ccam eingriff prozedur prozeduren =ops ops+code cpt hcpcs"
        ),
    ),
    (
        Topic("a death", "quasi"),
        (
            "death deceased died dead muerte defuncion fallecimiento mort defuncio deces tod todes verstorben sterbedatum "
            "vital+status mortality mortalidad mortalitat mortalite exitus"
        ),
    ),
    (
        Topic("the length of a stay", "quasi", "numeric"),
        (
            "length+stay days+hospital time+hospital days+icu hours+icu dias+hospital dias+ingreso dies+hospital "
            "jours+hopital tage+krankenhaus stay los duration estancia duracion estada durada sejour duree aufenthalt "
            "aufenthaltsdauer verweildauer dauer"
        ),
    ),
    (
        Topic("a date", "quasi"),
        (
            "date arrival year month day weekday datetime timestamp fecha ano mes dia annee mois jour datum jahr monat "
            "aufnahmedatum entlassungsdatum entlassdatum"
        ),
    ),
    (
        Topic("how or when a stay began or ended", "quasi"),
        (
            "visit+type encounter+type tipo+visita tipus+visita type+visite admission admitted admit discharge discharged "
            "disposition transfer referral triage arrival+mode entree mode+entree motif+entree fallart notfall ingreso "
            "alta ingres admision admissio sortie transfert aufnahme entlassung verlegung einweisung"
        ),
    ),
    (
        Topic("who pays", "quasi", "flat", listed=True),
        (
            "payer payor insurer insurance medicaid medicare aseguradora seguro mutua asseguradora assurance mutuelle "
            "versicherung krankenkasse kasse kostentrager versichertenstatus"
        ),
    ),
    (
        Topic("visits and stays", "sensitive", clinical=True),
        (
            "visit visits outpatient inpatient emergency emergencies consultation consultations visita visitas urgencias "
            "consulta consultas visites urgencies consultes urgences ambulant stationar notaufnahme besuche"
        ),
    ),
    (
        Topic("how long or how much somebody works", "quasi", "numeric"),
        (
            "working+hours hours+week weekly+hours horas+semana horas+semanales hores+setmana hores+setmanals "
            "heures+semaine wochenarbeitszeit tenure seniority antiguedad antiguitat anciennete sick+leave absence "
            "bajas+laborales baixes+laborals fehltage"
        ),
    ),
    (
        Topic("work", "quasi", "flat"),
        (
            "occupation occup occ job profession employment employer workclass industry sector work ocupacion profesion "
            "empleo trabajo puesto ocupacio professio ofici feina metier emploi travail beruf arbeit arbeitgeber "
            "tatigkeit branche berufsgruppe erwerbsstatus nace cnae ccae isco cno naics csp pcs laboral professionnelle "
            "contrato contracte contract arbeitsvertrag veteran"
        ),
    ),
    (
        Topic("an institution or who works there", "quasi", "flat", listed=True),
        (
            "specialty speciality specialism especialidad especialitat specialite fachrichtung fachgebiet fachabteilung "
            "room bed hospital ward clinic department facility provider centre center school university company doctor "
            "physician surgeon servicio medico centro hospitalario escuela empresa servei metge escola hopital medecin "
            "ecole entreprise krankenhaus klinik station abteilung arzt schule firma"
        ),
    ),
    (
        Topic("household and family", "quasi"),
        (
            "household family pregnancy pregnant parity embarazo embaras grossesse schwangerschaft situation+familiale "
            "kinderzahl haushaltsgrosse homeless children child kids relationship dwelling housing hogar familia hijos "
            "vivienda llar fills habitatge menage famille enfants logement haushalt familie kinder wohnung"
        ),
    ),
    (
        Topic("the body", "quasi", "numeric"),
        (
            "height weight bmi imc korpergewicht geburtsgewicht altura talla peso alcada pes taille poids grosse gewicht "
            "korpergrosse"
        ),
    ),
    (
        Topic("a medicine or treatment", "sensitive", clinical=True),
        (
            "insulin dose dosage dosis therapy treatment rx meds med tratamiento terapia tractament traitement therapie "
            "behandlung chemotherapy radiotherapy antibiotic antibiotics statin drug drugs medication medicine atc "
            "medicamento medicacion medicacio medicament farmaco farmac medikament medikamente medikation arzneimittel "
            "wirkstoff ventilation ventilated beatmung ventilacion ventilacio"
        ),
    ),
    (
        Topic("a disability or a need of care", "quasi"),
        "disability disabled discapacidad discapacitat handicap behinderung pflegegrad pflegestufe dependencia",
    ),
    (
        Topic("smoking", "quasi"),
        (
            "smoker smoking smokes tobacco fumador fumadora tabaco tabaquismo tabac tabaquisme fumeur tabagisme raucher "
            "rauchen"
        ),
    ),
    (
        Topic("how somebody's health is", "sensitive", clinical=True),
        (
            "complication complications complicacion complicaciones complicacio complicacions komplikation komplikationen "
            "health+status rated+health mental+health depression anxiety suicide allergy allergies estado+salud alergia "
            "alergias antecedentes estat+salut antecedents al+lergies etat+sante sante allergie allergien "
            "gesundheitszustand"
        ),
    ),
    (
        Topic("a name", "identifier", weak=True),
        "name names nombre nom noms namen signature firma+digital photo",
    ),
    (
        Topic("a key", "identifier", weak=True),
        (
            "id ids identifier identificador identifiant kennung pid uid uuid guid rowid recordid patientid personid "
            "userid customerid key clave schlussel token pseudonym hash patid hid hhid subjid caseid studyid"
        ),
    ),
]
